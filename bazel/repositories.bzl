"""Repositories that describe what is installed on this machine."""

# A change of one of these (in the environment, or by --repo_env) makes Bazel
# ask the interpreter anew. `bazel sync --configure` does so by hand, for
# instance after `pip install -U torch` in the same environment.
_ENVIRON = ["KWKER_PYTHON", "VIRTUAL_ENV"]

def _find_python(ctx):
    python = ctx.os.environ.get("KWKER_PYTHON", "")
    if python:
        return python
    venv = ctx.os.environ.get("VIRTUAL_ENV", "")
    if venv:
        return venv + "/bin/python"
    found = ctx.which("python3")
    if not found:
        fail("No python3 on PATH. Name one: --repo_env=KWKER_PYTHON=/path/to/python")
    return str(found)

def _probe(ctx, args):
    python = _find_python(ctx)
    result = ctx.execute(
        [python, ctx.path(ctx.attr._probe)] + args,
        # The user's PYTHONPATH must not decide what is built against.
        environment = {"PYTHONPATH": "", "PYTHONNOUSERSITE": "1"},
    )
    if result.return_code != 0:
        fail("Cannot run '%s' (from KWKER_PYTHON, VIRTUAL_ENV or PATH): %s" % (
            python,
            result.stderr,
        ))
    return python, json.decode(result.stdout)

_PYTHON_BUILD = """\
load("@bazel_tools//tools/python:toolchain.bzl", "py_runtime_pair")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = ["include"],
)

py_runtime(
    name = "py3_runtime",
    interpreter_path = "{executable}",
    python_version = "PY3",
)

py_runtime_pair(
    name = "runtime_pair",
    py3_runtime = ":py3_runtime",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtime_pair",
    toolchain_type = "@bazel_tools//tools/python:toolchain_type",
)
"""

_LIBPYTHON_BUILD = """
# For programs that link libpython. The kwker CLI does not: it opens the
# user's libpython at run time.
cc_import(
    name = "libpython_so",
    shared_library = "lib/{libpython}",
)

cc_library(
    name = "libpython",
    deps = [
        ":headers",
        ":libpython_so",
    ],
)
"""

def _python_impl(ctx):
    python, facts = _probe(ctx, [])
    if facts["implementation"] != "CPython":
        fail("%s is %s; kwker needs CPython." % (python, facts["implementation"]))
    if not ctx.path(facts["include"] + "/Python.h").exists:
        fail("No Python.h in %s: install the headers of %s (Debian: apt-get install python%s-dev)." % (
            facts["include"],
            python,
            facts["version"],
        ))
    ctx.symlink(facts["include"], "include")
    build = _PYTHON_BUILD.format(executable = facts["executable"])
    if facts["libpython"]:
        name = facts["libpython"].split("/")[-1]
        ctx.symlink(facts["libpython"], "lib/" + name)
        build += _LIBPYTHON_BUILD.format(libpython = name)
    ctx.file("BUILD.bazel", build, executable = False)
    ctx.file("defs.bzl", """\
PYTHON = "{executable}"
PYTHON_VERSION = "{version}"
EXT_SUFFIX = "{ext_suffix}"
PYTHON_TAG = "cp{tag}"
""".format(tag = facts["version"].replace(".", ""), **facts), executable = False)

_python = repository_rule(
    implementation = _python_impl,
    attrs = {"_probe": attr.label(default = "//bazel:probe_python.py")},
    environ = _ENVIRON,
    configure = True,
    local = True,
)

_TORCH_BUILD = """\
package(default_visibility = ["//visibility:public"])

# Folders, not a glob of their 9,000 files: that many links took longer to put
# into the sandbox of each compilation, and to remove, than the compilation.
# Bazel does not look into the folders for changes, so the revision of torch is
# among the flags.
cc_library(
    name = "headers",
    hdrs = [
        "include/ATen",
        "include/c10",
        "include/caffe2",
        "include/torch",
    ],
    defines = [
        "KWKER_TORCH_REVISION={revision}",
        "_GLIBCXX_USE_CXX11_ABI={cxx11_abi}",
    ],
    includes = [
        "include",
        "include/torch/csrc/api/include",
    ],
    deps = [":pybind11"],
)

# torch's own copy of pybind11: extension modules that pass tensors must agree
# with libtorch_python on it.
cc_library(
    name = "pybind11",
    hdrs = ["include/pybind11"],
    includes = ["include"],
    deps = ["@python//:headers"],
)

{imports}
# For C++ programs and tests: found at run time through Bazel's own rpath.
cc_library(
    name = "torch",
    deps = [
        ":headers",
        ":c10_so",
        ":torch_cpu_so",
        ":torch_so",
    ],
)

# For extension modules: linked against, but with no rpath into Bazel's tree.
# `import torch` has loaded the libraries before such a module is opened.
filegroup(
    name = "shared_objects",
    srcs = glob(["lib/*"]),
)
"""

_IMPORT = """\
cc_import(
    name = "{name}_so",
    shared_library = "lib/lib{name}.so",
)
"""

def _libtorch_impl(ctx):
    python, facts = _probe(ctx, ["torch"])
    if facts["error"]:
        fail(("\n\nkwker is built against the torch of one Python environment, and\n" +
              "  {python}\ncannot import it ({error}).\n\n" +
              "Install it there:    {python} -m pip install torch\n" +
              "or name another one: bazel build --repo_env=KWKER_PYTHON=/path/to/venv/bin/python\n")
            .format(python = python, error = facts["error"]))
    ctx.symlink(facts["root"] + "/include", "include")
    for lib in facts["libs"]:
        ctx.symlink("%s/lib/%s" % (facts["root"], lib), "lib/" + lib)
    ctx.file("BUILD.bazel", _TORCH_BUILD.format(
        cxx11_abi = facts["cxx11_abi"],
        revision = facts["revision"],
        imports = "\n".join([_IMPORT.format(name = n) for n in ["c10", "torch_cpu", "torch"]]),
    ), executable = False)
    ctx.file("defs.bzl", """\
TORCH_VERSION = "{version}"
TORCH_ROOT = "{root}"
""".format(**facts), executable = False)

_libtorch = repository_rule(
    implementation = _libtorch_impl,
    attrs = {"_probe": attr.label(default = "//bazel:probe_python.py")},
    environ = _ENVIRON,
    configure = True,
    local = True,
)

def python_install():
    """Defines @python and @libtorch."""
    _python(name = "python")
    _libtorch(name = "libtorch")

# name: (a header that tells it is there, its apt package, its libraries)
_DEBIAN = {
    "benchmark_main": (
        "benchmark/benchmark.h",
        "libbenchmark-dev",
        ["libbenchmark_main.a", "libbenchmark.so"],
    ),
    "boost_process": (
        "boost/process.hpp",
        "libboost-filesystem{boost}-dev",
        ["libboost_filesystem.a"],
    ),
    "boost_headers": ("boost/math/distributions/students_t.hpp", "libboost{boost}-dev", []),
    "cli11": ("CLI/CLI.hpp", "libcli11-dev", []),
    "fmt": ("fmt/format.h", "libfmt-dev", []),
    "gtest_main": ("gtest/gtest.h", "libgtest-dev", ["libgtest_main.a", "libgtest.a"]),
    "nlohmann_json": ("nlohmann/json.hpp", "nlohmann-json3-dev", []),
    "xxhash": ("xxhash.h", "libxxhash-dev", []),
}

# Boost.Process needs C++20 fixes that came with this release of Boost.
_BOOST_VERSION = 108100

# The headers are in the compiler's own search path, so no hdrs or includes
# here: adding -isystem /usr/include would break #include_next.
_DEBIAN_LIBRARY = """
cc_library(
    name = "{name}",
    srcs = {libs},
    linkopts = {linkopts},
    defines = {defines},
)
"""

def _boost_is_new_enough(ctx):
    header = ctx.path("/usr/include/boost/version.hpp")
    if not header.exists:
        return False
    for line in ctx.read(header).splitlines():
        if line.startswith("#define BOOST_VERSION "):
            return int(line.split(" ")[-1]) >= _BOOST_VERSION
    return False

def _debian_impl(ctx):
    # Debian 12 has 1.81 beside its default, Debian 13 has 1.83 as its default.
    boost = "1.81" if "bookworm" in ctx.read("/etc/os-release") else ""
    boost_ok = _boost_is_new_enough(ctx)
    missing = []
    build = ['package(default_visibility = ["//visibility:public"])\n']
    for name, (header, package, libs) in _DEBIAN.items():
        files = ["/usr/include/" + header] + ["/usr/lib/x86_64-linux-gnu/" + lib for lib in libs]
        if [f for f in files if not ctx.path(f).exists] or ("boost" in name and not boost_ok):
            missing.append(package.format(boost = boost))
            continue
        for lib in libs:
            ctx.symlink("/usr/lib/x86_64-linux-gnu/" + lib, lib)
        build.append(_DEBIAN_LIBRARY.format(
            name = name,
            libs = libs,
            linkopts = ["-pthread"] if libs else [],
            defines = ["FMT_HEADER_ONLY"] if name == "fmt" else [],
        ))
    if missing:
        fail("\n\nMissing libraries. As root:\n  apt-get install " + " ".join(missing) + "\n")
    ctx.file("BUILD.bazel", "".join(build), executable = False)

debian_libraries = repository_rule(
    implementation = _debian_impl,
    configure = True,
    local = True,
)

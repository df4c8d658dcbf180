"""Extension modules and tests for the Python of @python."""

load("@python//:defs.bzl", "EXT_SUFFIX")

_LIBTORCH_COPTS = [
    "-fvisibility=hidden",
    # at::parallel_for is a template over OpenMP. Only compiled with it:
    # the run-time library is the one torch has loaded, and no other.
    "-fopenmp",
    # torch's headers are not ours to mend.
    "-isystem",
    "external/libtorch/include",
    "-isystem",
    "external/libtorch/include/torch/csrc/api/include",
]

def libtorch_library(name, deps = [], **kwargs):
    """A part of extension modules that uses libtorch."""
    native.cc_library(
        name = name,
        copts = _LIBTORCH_COPTS,
        # Only an archive: no shared library for the tests.
        linkstatic = True,
        deps = deps + ["@libtorch//:headers"],
        **kwargs
    )

def py_extension(name, srcs, deps = [], **kwargs):
    """An extension module that uses libtorch; name is its path, without suffix.

    The module is not linked with libpython, and finds libtorch because
    `import torch` has loaded it, or else in the site-packages it lies in.
    """
    native.cc_binary(
        name = name + EXT_SUFFIX,
        srcs = srcs,
        additional_linker_inputs = ["@libtorch//:shared_objects"],
        copts = _LIBTORCH_COPTS,
        linkopts = [
            "-Lexternal/libtorch/lib",
            "-lc10",
            "-ltorch_cpu",
            "-ltorch_python",
            "-Wl,-rpath,$$ORIGIN/../torch/lib",
            "-Wl,--exclude-libs,ALL",
        ],
        linkshared = True,
        deps = deps + ["@libtorch//:headers"],
        **kwargs
    )
    native.filegroup(
        name = name,
        testonly = kwargs.get("testonly"),
        srcs = [name + EXT_SUFFIX],
        visibility = kwargs.get("visibility"),
    )

def _pytest_test_impl(ctx):
    runtime = ctx.toolchains["@bazel_tools//tools/python:toolchain_type"].py3_runtime
    imports = depset(transitive = [dep[PyInfo].imports for dep in ctx.attr.deps]).to_list()
    env = {
        name: ctx.expand_location(value, ctx.attr.data)
        for name, value in ctx.attr.env.items()
    }
    ctx.actions.write(
        output = ctx.outputs.executable,
        content = "\n".join(["#!/bin/bash"] + [
            "export %s=\"%s\"" % (name, value)
            for name, value in env.items()
        ] + [
            "export PYTHONPATH=\"%s\"" % ":".join(["$TEST_SRCDIR/" + i for i in imports]),
            "exec '%s' %s %s \"$@\"" % (
                runtime.interpreter_path,
                ctx.file._main.short_path,
                " ".join([f.short_path for f in ctx.files.srcs]),
            ),
            "",
        ]),
        is_executable = True,
    )
    runfiles = ctx.runfiles(files = ctx.files.srcs + ctx.files.data + [ctx.file._main])
    for target in ctx.attr.deps + ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(runfiles = runfiles)]

# Not py_test: the launcher that Bazel 4 writes for it needs a `python` on PATH,
# which Debian doesn't have, merely to start the interpreter of the toolchain.
pytest_test = rule(
    implementation = _pytest_test_impl,
    doc = "Runs pytest on srcs, under the interpreter of @python.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".py"], mandatory = True),
        "data": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [PyInfo]),
        "env": attr.string_dict(
            doc = "Set for the test; $(rootpath LABEL) of data and $TEST_SRCDIR are expanded.",
        ),
        "_main": attr.label(
            default = "//bazel:pytest_main.py",
            allow_single_file = True,
        ),
    },
    test = True,
    toolchains = ["@bazel_tools//tools/python:toolchain_type"],
)

def pytest_at_each_capability(name, srcs, deps, data = [], **kwargs):
    """The same suite at each of torch's instruction sets: NAME_default_test and so on.

    torch reads its own from the environment when it starts. Skipped where the CPU lacks one.
    """
    for capability in ["default", "avx2", "avx512"]:
        pytest_test(
            name = "%s_%s_test" % (name, capability),
            size = "large",
            srcs = srcs,
            data = data,
            env = {"ATEN_CPU_CAPABILITY": capability},
            deps = deps,
            **kwargs
        )

#include "audit/python_install.h"

#include <boost/process.hpp>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

namespace bp = boost::process;
namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

// - LDLIBRARY and Py_ENABLE_SHARED tell how the executable was linked, not
//   whether a shared library is there: conda's and Debian's executables are
//   static beside one. So the file is looked for.
// - The first item of sys.path is this folder, which a script does not see: it
//   goes before anything is imported, a json.py may lie here.
// - torch's version is read from its file: that is the one an import would find,
//   also where it was not installed by pip.
// - Whether the wheel's kwker.pth works shows in what it has imported: there are
//   many reasons why Python would not read one.
constexpr char kProbe[] = R"(
import sys
startup_hook = 'kwker._startup' in sys.modules
if not getattr(sys.flags, 'safe_path', False):
    del sys.path[0]
import importlib.util, json, os, re, sysconfig
var = sysconfig.get_config_var
libdir = var('LIBDIR') or ''
name = 'libpython%s.so.1.0' % (var('LDVERSION') or '%d.%d' % sys.version_info[:2])
folders = [libdir, os.path.join(sys.base_prefix, 'lib'), os.path.join(libdir, var('MULTIARCH') or '')]
found = [os.path.join(f, name) for f in folders if f and os.path.exists(os.path.join(f, name))]
def folder(package):
    spec = importlib.util.find_spec(package)
    return os.path.dirname(spec.origin) if spec and spec.origin else ''
def torch_version():
    if not folder('torch'):
        return ''
    try:
        with open(os.path.join(folder('torch'), 'version.py')) as f:
            return re.search(r"__version__ = ['\"](.*?)['\"]", f.read()).group(1)
    except Exception:
        return 'unknown'
version = release = ''
if folder('kwker'):
    try:
        import kwker
        import kwker._build
        version, release = kwker.__version__, kwker._build.TORCH_RELEASE
    except Exception:
        pass
print('\n' + json.dumps({
    'executable': sys.executable,
    'version': '%d.%d.%d' % sys.version_info[:3],
    'libpython': found[0] if found else '',
    'torch': torch_version(),
    'kwker': folder('kwker'),
    'kwker_version': version,
    'kwker_torch_release': release,
    'startup_hook': startup_hook,
}))
)";

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// "2.13.0+cpu" -> "2.13"
std::string Release(const std::string& version) {
  const auto second_dot = version.find('.', version.find('.') + 1);
  return version.substr(0, second_dot);
}

}  // namespace

fs::path FindPython(const std::string& wanted, const fs::path& self) {
  if (!wanted.empty()) {
    if (wanted.find('/') != std::string::npos) return wanted;
    const auto found = bp::search_path(wanted);
    if (found.empty()) {
      throw PythonError("no '" + wanted + "' on PATH: name a Python by its path");
    }
    return found.string();
  }
  const fs::path beside = self.parent_path() / "python";
  std::error_code error;
  if (fs::exists(beside, error)) return beside;
  const std::string venv = Env("VIRTUAL_ENV");
  if (!venv.empty() && fs::exists(fs::path(venv) / "bin/python", error)) {
    return fs::path(venv) / "bin/python";
  }
  for (const char* name : {"python", "python3"}) {
    const auto found = bp::search_path(name);
    if (!found.empty()) return found.string();
  }
  throw PythonError("no Python found: activate a virtual environment or name one with --python");
}

PythonInstall ProbePython(const fs::path& python) {
  bp::environment environment = boost::this_process::environment();
  environment["KWKER_INSTALL"] = "1";  // for kwker.pth
  std::string text;
  int exit_code = 1;
  try {
    bp::ipstream out;
    bp::child child(bp::exe = python.string(), bp::args = {"-c", kProbe}, environment,
                    bp::std_out > out, bp::std_err > bp::null, bp::std_in < bp::null);
    text.assign(std::istreambuf_iterator<char>(out), {});
    child.wait();
    exit_code = child.exit_code();
  } catch (const bp::process_error& e) {
    throw PythonError("cannot run " + python.string() + " (" + e.code().message() +
                      "): name a Python with --python");
  }
  // The last line: a sitecustomize of the user's may print something before it.
  const auto line = text.find("\n{");
  const auto facts = nlohmann::json::parse(line == text.npos ? "" : text.substr(line), nullptr,
                                           /*allow_exceptions=*/false);
  if (exit_code != 0 || facts.is_discarded()) {
    throw PythonError(python.string() + " does not work as a Python: name another with --python");
  }
  const auto fact = [&](const char* name) { return facts.value(name, std::string()); };
  return {.executable = fact("executable"),
          .version = fact("version"),
          .libpython = fact("libpython"),
          .torch = fact("torch"),
          .kwker = fact("kwker"),
          .kwker_version = fact("kwker_version"),
          .kwker_torch_release = fact("kwker_torch_release"),
          .startup_hook = facts.value("startup_hook", false)};
}

void CheckPython(const PythonInstall& python) {
  if (python.torch.empty()) {
    throw PythonError("no torch in " + python.executable +
                      ": install it there or name another Python with --python");
  }
  if (python.kwker.empty()) {
    throw PythonError("Kwker is not installed for " + python.executable +
                      ": install its wheel there or name another Python with --python");
  }
  if (python.kwker_torch_release.empty()) {
    throw PythonError("the Kwker in " + python.kwker +
                      " is incomplete: install its wheel there once more");
  }
  if (Release(python.torch) != python.kwker_torch_release) {
    throw PythonError(python.executable + " has torch " + python.torch +
                      ", but its Kwker was built for torch " + python.kwker_torch_release +
                      ": install the one to match the other");
  }
}

void CheckStartupHook(const PythonInstall& python) {
  if (!python.startup_hook) {
    throw PythonError("a launcher's processes would run without Kwker: " + python.executable +
                      " reads no kwker.pth: install Kwker's wheel there with pip");
  }
}

}  // namespace kwker::audit

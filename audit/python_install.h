// The user's Python: which one it is, and what is installed for it.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace kwker::audit {

// what() is one line for people: what is wrong with that Python and what to do.
class PythonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PythonInstall {
  std::string executable;  // sys.executable: with it goes its virtual environment
  std::string version;     // "3.11.7"
  std::string libpython;   // path of its shared library; empty: it has none
  std::string torch;       // version of the package, "2.13.0+cpu"; empty: not installed
  std::string kwker;       // Kwker's package folder; empty: not installed
  std::string kwker_version;
  std::string kwker_torch_release;  // the torch that the kernels were built for: "2.13"
  bool startup_hook = false;        // KWKER_INSTALL=1 alone gets Kwker into its processes
};

// The interpreter to use: `wanted` (--python or KWKER_PYTHON, a path or a name on
// PATH) if not empty, else the one beside this program `self` (where a wheel puts
// it), else that of the active virtual environment, else the first on PATH.
// Throws PythonError if there is none.
std::filesystem::path FindPython(const std::string& wanted, const std::filesystem::path& self);

// Starts that interpreter once and asks it; torch is not imported. Throws
// PythonError if it cannot be run.
PythonInstall ProbePython(const std::filesystem::path& python);

// Throws PythonError if the kernels cannot work there: no torch, no Kwker, or
// a torch of another release than Kwker was built for.
void CheckPython(const PythonInstall& python);

// Throws PythonError if processes that others start there would not get Kwker.
void CheckStartupHook(const PythonInstall& python);

}  // namespace kwker::audit

// Carries out runs of the user's script, each in a child process of its own:
// `kwker _child REQUEST.json EXECUTABLE LIBPYTHON`.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/child_run_files.h"
#include "audit/child_run_orphans.h"
#include "audit/child_run_signals.h"
#include "audit/python_install.h"
#include "audit/run.h"

namespace kwker::audit {

// In what the runs of one side may differ from those of the other.
struct ChildSide {
  bool install = false;                              // with Kwker
  std::optional<std::vector<std::string>> features;  // only these
  PythonInstall python;
  std::vector<std::string> command;                // what follows "python"
  std::map<std::string, std::string> environment;  // added to this process's own
};

struct ChildRunOptions {
  std::filesystem::path program;  // this program's own file
  ChildSide a, b;
  std::optional<std::int64_t> seed;
  std::optional<double> timeout_s;        // of each run
  bool isolate = false;                   // each run in its own copy of this folder
  bool show_output = false;               // what the script prints goes to stderr as well
  std::chrono::milliseconds grace{5000};  // between asking a child to end and ending it
};

// The two sides' children get the same environment but for KWKER_INSTALL (0, 1),
// KWKER_FEATURES and what their sides say, the same working directory (a fresh copy
// of it at the same place, where runs are isolated), and nothing on stdin. Strings hash the same in
// each (PYTHONHASHSEED is 0, or the user's). A child leads a process group; what is left of the
// group, and of others that its processes made, is ended when the child has ended.
class ChildRunner {
 public:
  // Throws RunError if there is no room for temporary files.
  explicit ChildRunner(ChildRunOptions options);

  // Returns when the child has ended. Ctrl-C, SIGTERM, SIGHUP or SIGQUIT to this
  // process end it (kInterrupted), and so does the time limit (kTimeout): the
  // group gets the signal (SIGTERM for the limit), and after the grace period, or
  // at a second signal, SIGKILL. Throws RunError if no child can be started, or if
  // it failed, or left no result, on a disk without room for its files. A file
  // that RunOutcome names goes with this object.
  RunOutcome Run(const RunRequest& request);

  // Whether this process was asked to stop, in a run or between two.
  bool Interrupted();

 private:
  struct Files;

  const ChildSide& SideOf(const RunRequest& request) const {
    return request.side == Side::kA ? options_.a : options_.b;
  }
  int Start(const RunRequest& request, const Files& files);
  void WriteRequest(const RunRequest& request, const Files& files) const;
  RunOutcome WaitFor(int pid, const RunRequest& request, const Files& files);

  ChildRunOptions options_;
  SignalWatch signals_;  // before the folder: it outlives what a signal would leave behind
  TemporaryFolder folder_;
  std::filesystem::path copy_;  // of the working directory, there while a run is; or empty
  Orphans orphans_;
  bool interrupted_ = false;
};

}  // namespace kwker::audit

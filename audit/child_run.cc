#include "audit/child_run.h"

#include <fmt/ranges.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

#include "audit/machine_activity.h"
#include "audit/protocol.h"
#include "audit/verdict.h"
#include "audit/working_copy.h"

namespace bp = boost::process;
namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kTailLines = 20;
constexpr std::size_t kTailBytes = 8192;
constexpr std::size_t kRoomForResults = 4 << 20;  // more than any that is of this kind

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

std::string Joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ","));
}

// What the machine did since `before` but this run, which used `own`.
std::optional<Surroundings> Since(const std::optional<MachineActivity>& before, const Usage& own) {
  const std::optional<MachineActivity> after = ReadMachineActivity();
  if (!before || !after || !(own.wall_s > 0)) return std::nullopt;
  const double all = own.wall_s * after->cpus;
  const double others = after->busy_s - before->busy_s - own.cpu_user_s - own.cpu_sys_s;
  return Surroundings{std::clamp(others / all, 0.0, 1.0),
                      std::clamp((after->stolen_s - before->stolen_s) / all, 0.0, 1.0),
                      (after->swapped_pages - before->swapped_pages) * sysconf(_SC_PAGESIZE),
                      after->throttled - before->throttled};
}

// It stays a zombie, so that its process group's number is not given away.
bool HasEnded(pid_t pid) {
  siginfo_t info = {};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid;
}

}  // namespace

struct ChildRunner::Files {
  explicit Files(const fs::path& folder)
      : request(folder / "REQUEST.json"),
        result(folder / "RESULT.json"),
        kept(folder / "KEPT"),
        out(folder / "stdout"),
        err(folder / "stderr") {}
  fs::path request, result, kept, out, err;
};

ChildRunner::ChildRunner(ChildRunOptions options) : options_(std::move(options)) {
  // Under its own name, which the script may look at, and the same for all runs.
  if (options_.isolate) copy_ = folder_.path() / "isolated" / fs::current_path().filename();
}

bool ChildRunner::Interrupted() {
  while (const int signal = signals_.Wait(milliseconds(0))) {
    if (signal != SIGCHLD) interrupted_ = true;
  }
  return interrupted_;
}

RunOutcome ChildRunner::Run(const RunRequest& request) {
  if (Interrupted()) {
    RunOutcome outcome;
    outcome.request = request;
    outcome.end = RunEnd::kInterrupted;
    return outcome;
  }
  const fs::path folder = folder_.path() / std::to_string(request.order);
  std::error_code error;
  fs::create_directory(folder, error);
  const Files files(folder);
  WriteRequest(request, files);
  if (options_.isolate) {
    fs::create_directory(copy_.parent_path(), error);
    CopyFolder(fs::current_path(), copy_, folder_.path());
  }
  const std::optional<MachineActivity> before = ReadMachineActivity();
  RunOutcome outcome = WaitFor(Start(request, files), request, files);
  outcome.surroundings = Since(before, outcome.usage);

  if (fs::exists(files.result, error)) {
    auto result = ParseResult(ReadFile(files.result));
    outcome.result = std::move(result.value);
    outcome.result_error = std::move(result.error);
  }
  // The script is not to blame for what it could not write, nor for a result that
  // could not be.
  if (outcome.end != RunEnd::kInterrupted && (Failed(outcome) || !outcome.result) &&
      !HasRoom(folder, kRoomForResults)) {
    throw RunError("the disk that holds TMPDIR (" + folder_.path().parent_path().string() +
                   ") is full: free some or set TMPDIR");
  }
  outcome.stdout_digest = DigestFile(files.out);
  outcome.stderr_tail = Tail(files.err, kTailLines, kTailBytes);
  if (fs::exists(files.kept, error)) {
    outcome.kept = folder_.path() / fmt::format("kept-{}", request.order);
    fs::rename(files.kept, outcome.kept, error);
  }
  fs::remove_all(folder, error);
  if (options_.isolate) RemoveFolder(copy_);
  return outcome;
}

void ChildRunner::WriteRequest(const RunRequest& request, const Files& files) const {
  ChildRequest child;
  const ChildSide& side = SideOf(request);
  child.command = side.command;
  child.install = side.install;
  if (child.install) child.features = side.features;
  child.seed = options_.seed;
  if (!request.keep.empty()) child.keep = KeepRequest{request.keep, files.kept.string()};
  child.result = files.result.string();
  std::ofstream out(files.request, std::ios::binary);
  out << SerializeRequest(child);
  out.close();
  if (!out) {
    throw RunError("cannot write to " + files.request.parent_path().string() +
                   ": set TMPDIR to a folder with room");
  }
}

int ChildRunner::Start(const RunRequest& request, const Files& files) {
  const ChildSide& side = SideOf(request);
  bp::environment environment = boost::this_process::environment();
  environment["KWKER_INSTALL"] = side.install ? "1" : "0";
  if (side.install && side.features) environment["KWKER_FEATURES"] = Joined(*side.features);
  if (std::getenv("PYTHONHASHSEED") == nullptr) environment["PYTHONHASHSEED"] = "0";
  for (const auto& [name, value] : side.environment) environment[name] = value;
  if (!request.off.empty()) {
    const std::string before = environment["KWKER_DISABLE"].to_string();
    environment["KWKER_DISABLE"] = (before.empty() ? "" : before + ",") + Joined(request.off);
  }
  if (options_.isolate) environment["PWD"] = copy_.string();

  const std::vector<std::string> args = {"_child", files.request.string(), side.python.executable,
                                         side.python.libpython};
  const auto in_child = [this](auto&) {
    setpgid(0, 0);
    signals_.RestoreInChild();
    // Not start_dir: Boost would have a folder for every run, this one too.
    if (!copy_.empty() && chdir(copy_.c_str()) != 0) _exit(127);
  };
  try {
    bp::child child(bp::exe = options_.program.string(), bp::args = args, environment,
                    bp::std_in<bp::null, bp::std_out> files.out.string(),
                    bp::std_err > files.err.string(), bp::extend::on_exec_setup = in_child);
    const int pid = child.id();
    child.detach();  // waited for below, with what it used
    return pid;
  } catch (const bp::process_error& e) {
    throw RunError("cannot start " + options_.program.string() + ": " + e.code().message());
  }
}

RunOutcome ChildRunner::WaitFor(int pid, const RunRequest& request, const Files& files) {
  RunOutcome outcome;
  outcome.request = request;
  const auto start = Clock::now();
  Follower out(files.out, std::cerr), err(files.err, std::cerr);
  std::optional<RunEnd> ended_by_us;
  auto next_step = Clock::time_point::max();  // the time limit; then the end of the grace period
  if (options_.timeout_s) {
    next_step = start + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(*options_.timeout_s));
  }

  while (!HasEnded(pid)) {
    const auto longest = options_.show_output ? milliseconds(100) : milliseconds(1000);
    const auto left = std::chrono::ceil<milliseconds>(next_step - Clock::now());
    const int signal = signals_.Wait(std::clamp(left, milliseconds(0), longest));
    if (options_.show_output) {
      out.CopyNew();
      err.CopyNew();
    }
    const bool asked = signal != 0 && signal != SIGCHLD;
    const bool late = Clock::now() >= next_step;
    if (!asked && !late) continue;
    if (asked) interrupted_ = true;
    if (ended_by_us) {
      kill(-pid, SIGKILL);
      next_step = Clock::time_point::max();
    } else {
      ended_by_us = asked ? RunEnd::kInterrupted : RunEnd::kTimeout;
      kill(-pid, asked ? signal : SIGTERM);
      next_step = Clock::now() + options_.grace;
    }
  }
  const std::chrono::duration<double> wall = Clock::now() - start;
  kill(-pid, SIGKILL);  // workers and other programs that it left behind
  int status = 0;
  rusage usage = {};
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  orphans_.End();  // and those that had left its group
  if (options_.show_output) {
    out.CopyNew();
    err.CopyNew();
  }

  outcome.usage = {wall.count(), Seconds(usage.ru_utime), Seconds(usage.ru_stime),
                   static_cast<std::int64_t>(usage.ru_maxrss) * 1024};
  if (WIFSIGNALED(status)) {
    outcome.end = RunEnd::kSignal;
    outcome.signal = WTERMSIG(status);
  } else {
    outcome.exit_code = WEXITSTATUS(status);
    outcome.end = outcome.exit_code == 0 ? RunEnd::kOk : RunEnd::kExit;
  }
  if (interrupted_) ended_by_us = RunEnd::kInterrupted;
  if (ended_by_us) outcome.end = *ended_by_us;
  return outcome;
}

}  // namespace kwker::audit

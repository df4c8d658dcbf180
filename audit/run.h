// What one run of the user's script is asked for and what came of it. The
// schedule asks for runs, a RunFunction carries them out: the real one starts a
// child process, tests hand in simulated ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kwker::audit {

enum class Side { kA, kB };  // kA: without Kwker; kB: with it.

// One tensor or other value that a run left behind.
struct Output {
  std::string name;  // stable between runs: "globals.model.0.weight", "backward[12]"
  // As torch names it, without "torch.": "float32". Of what is no tensor with a
  // prefix: "numpy.float32", "python.int"; "combined": many outputs as one.
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;  // elements times their size
  std::int64_t nans = 0;   // elements that are NaN
  std::string digest;      // 32 hexadecimal digits: XXH3-128 of dtype, shape and elements' bits

  bool operator==(const Output&) const = default;
};

// The counters of one feature in one run.
struct FeatureCounts {
  std::string name;                               // "optim.adamw"
  std::string state;                              // "on", "off", "failed self-check", ...
  std::int64_t calls = 0;                         // served by Kwker
  std::map<std::string, std::int64_t> fallbacks;  // reason: calls that went to torch's code
};

// What the child process found out about itself (RESULT.json).
struct ChildResult {
  double wall_s = 0;      // clocks around the script alone, without `overhead_s`
  double cpu_user_s = 0;  // this process and its waited-for children, same span
  double cpu_sys_s = 0;
  double overhead_s = 0;      // the recorder's own time inside that span, already taken off
  double install_s = 0;       // install()'s time, part of wall_s
  double digest_s = 0;        // after the span
  std::string torch_version;  // empty: the script did not import torch
  std::string capability;     // torch.backends.cpu.get_cpu_capability()
  int threads = 0;            // torch.get_num_threads() at the end
  std::vector<FeatureCounts> features;
  std::vector<Output> outputs;  // in a stable order
  std::vector<std::string> warnings;
  // Short reasons why something that counts as an output is not among them; with
  // any, this run can never prove equality.
  std::vector<std::string> incomplete;
};

// From outside: the whole process and its waited-for descendants (wait4).
struct Usage {
  double wall_s = 0;
  double cpu_user_s = 0;
  double cpu_sys_s = 0;
  std::int64_t max_rss_bytes = 0;
};

// What else the machine did during a run.
struct Surroundings {
  double other_load = 0;           // share of all its processors' time that other programs used
  double stolen = 0;               // share that the host of this virtual machine gave to others
  std::int64_t swapped_bytes = 0;  // read from and written to swap space
  std::int64_t throttled = 0;      // times that a processor was slowed down for heat

  bool operator==(const Surroundings&) const = default;
};

struct RunRequest {
  Side side = Side::kA;
  int order = 0;         // 0, 1, 2, ... over all runs of the audit, warm-ups included
  bool warm_up = false;  // not counted in the statistics; its outputs are compared
  int pair = -1;         // 0, 1, 2, ...: the pair it belongs to; -1: none (warm-up, confirmation)
  bool probe = false;    // made to explain a difference, and counts for nothing else
  std::vector<std::string> off = {};  // features that are off, besides those the side has off
  std::string keep = {};              // the output whose values are to be kept, by name; or empty
};

enum class RunEnd {
  kOk,           // exit status 0
  kExit,         // another exit status
  kSignal,       // died of a signal
  kTimeout,      // ended by us: the time limit
  kInterrupted,  // ended by us: Ctrl-C or SIGTERM to this program
};

struct RunOutcome {
  RunRequest request;
  RunEnd end = RunEnd::kOk;
  int exit_code = 0;  // with kExit
  int signal = 0;     // with kSignal
  Usage usage;
  std::optional<Surroundings> surroundings;  // absent: not known
  std::optional<ChildResult> result;  // absent: the child did not get to write it (os._exit, exec)
  std::string result_error;           // one line: why a RESULT.json that is there could not be read
  std::string stdout_digest;          // of what it printed
  std::string stderr_tail;            // the last lines it printed to stderr
  std::filesystem::path kept;         // a file with request.keep's values; empty: there is none
};

// Thrown by a RunFunction that cannot carry out a run at all (no process can be
// started, the disk is full). what() is one line for people.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using RunFunction = std::function<RunOutcome(const RunRequest&)>;

}  // namespace kwker::audit

// What a caller, CI mostly, demands of an audit, and the exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/side_words.h"
#include "audit/statistics.h"
#include "audit/verdict.h"

namespace kwker::audit {

struct Gates {
  bool require_equal = false;         // --require-equal
  std::optional<double> min_speedup;  // --min-speedup R
  std::optional<double> max_memory;   // --max-memory-ratio R
};

enum class GateState { kHolds, kFails, kUndecided };

std::string_view Name(GateState state);  // "holds", "fails", "undecided"

struct GateResult {
  std::string option;  // "--min-speedup 1.2"
  GateState state = GateState::kUndecided;
  std::string reason;  // one sentence
};

// --require-equal holds, fails or is undecided as the verdict is equal,
// different or unknown. --min-speedup R holds if the interval's lower end
// reaches R, fails if its upper end does not, and is undecided between.
// --max-memory-ratio R holds if `memory`, the peak with Kwker over that without it,
// is at most R; it is undecided if that is not known.
std::vector<GateResult> CheckGates(const Gates& gates, const OutputsVerdict& outputs,
                                   const RatioEstimate& speedup,
                                   const std::optional<double>& memory,
                                   const SideWords& words = {});

// How an audit came to its end.
enum class Ending {
  kRunning,       // a report in the middle: more runs are to come
  kCompleted,     // all runs made
  kScriptFailed,  // the script fails without Kwker
  kKwkerFailed,   // the script fails only with Kwker
  kInterrupted,   // Ctrl-C or SIGTERM
  kCannotRun,     // a run could not be carried out (RunError)
};

// "running", "completed", "script failed", "kwker failed", "interrupted", "cannot run".
std::string_view Name(Ending ending);

enum ExitCode : int {
  kExitOk = 0,  // all that was asked holds
  // A gate fails, the script fails only with Kwker, or the report cannot be written.
  kExitGateFails = 1,
  kExitUsage = 2,  // wrong usage (the command line's matter)
  kExitScriptFailed = 3,
  kExitUndecided = 4,  // a gate cannot be decided, or a run not be carried out
  kExitInterrupted = 130,
};

ExitCode ExitCodeOf(Ending ending, const std::vector<GateResult>& gates);

}  // namespace kwker::audit

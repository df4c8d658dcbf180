#include "audit/gates.h"

#include <fmt/format.h>

#include <algorithm>

namespace kwker::audit {
namespace {

GateResult CheckEqual(const OutputsVerdict& outputs) {
  GateResult gate{"--require-equal", GateState::kUndecided, ""};
  switch (outputs.equality) {
    case Equality::kEqual:
      gate.state = GateState::kHolds;
      gate.reason = "the outputs are equal";
      break;
    case Equality::kDifferent:
      gate.state = GateState::kFails;
      gate.reason = "the outputs are different";
      break;
    case Equality::kUnknown:
      gate.reason = "it is unknown whether the outputs are equal";
      break;
  }
  return gate;
}

GateResult CheckSpeedup(double wanted, const RatioEstimate& speedup) {
  GateResult gate{fmt::format("--min-speedup {}", wanted), GateState::kUndecided, ""};
  if (!speedup.interval) {
    gate.reason = "the speed-up has no interval: two pairs at least are needed";
    return gate;
  }
  const auto [low, high] = *speedup.interval;
  if (low >= wanted) {
    gate.state = GateState::kHolds;
    gate.reason = fmt::format("the interval starts at {:.3g}x", low);
  } else if (high < wanted) {
    gate.state = GateState::kFails;
    gate.reason = fmt::format("the interval ends at {:.3g}x", high);
  } else {
    gate.reason = fmt::format(
        "the interval, {:.3g} to {:.3g}x, reaches from below to above it: try "
        "more --pairs",
        low, high);
  }
  return gate;
}

GateResult CheckMemory(double wanted, const std::optional<double>& memory, const SideWords& words) {
  GateResult gate{fmt::format("--max-memory-ratio {}", wanted), GateState::kUndecided, ""};
  if (!memory) {
    gate.reason = "no pair of runs has finished";
    return gate;
  }
  gate.state = *memory <= wanted ? GateState::kHolds : GateState::kFails;
  gate.reason = fmt::format("the peak memory is {:.3g} times that {}", *memory, words.runs_a);
  return gate;
}

}  // namespace

std::string_view Name(GateState state) {
  switch (state) {
    case GateState::kHolds:
      return "holds";
    case GateState::kFails:
      return "fails";
    case GateState::kUndecided:
      break;
  }
  return "undecided";
}

std::vector<GateResult> CheckGates(const Gates& gates, const OutputsVerdict& outputs,
                                   const RatioEstimate& speedup,
                                   const std::optional<double>& memory, const SideWords& words) {
  std::vector<GateResult> results;
  if (gates.require_equal) results.push_back(CheckEqual(outputs));
  if (gates.min_speedup) results.push_back(CheckSpeedup(*gates.min_speedup, speedup));
  if (gates.max_memory) results.push_back(CheckMemory(*gates.max_memory, memory, words));
  return results;
}

std::string_view Name(Ending ending) {
  switch (ending) {
    case Ending::kRunning:
      return "running";
    case Ending::kCompleted:
      return "completed";
    case Ending::kScriptFailed:
      return "script failed";
    case Ending::kKwkerFailed:
      return "kwker failed";
    case Ending::kInterrupted:
      return "interrupted";
    case Ending::kCannotRun:
      break;
  }
  return "cannot run";
}

ExitCode ExitCodeOf(Ending ending, const std::vector<GateResult>& gates) {
  switch (ending) {
    case Ending::kInterrupted:
      return kExitInterrupted;
    case Ending::kScriptFailed:
      return kExitScriptFailed;
    case Ending::kKwkerFailed:
      return kExitGateFails;
    case Ending::kCannotRun:
      return kExitUndecided;
    case Ending::kRunning:
    case Ending::kCompleted:
      break;
  }
  const auto any = [&gates](GateState state) {
    return std::any_of(gates.begin(), gates.end(),
                       [state](const GateResult& gate) { return gate.state == state; });
  };
  if (any(GateState::kFails)) return kExitGateFails;
  return any(GateState::kUndecided) ? kExitUndecided : kExitOk;
}

}  // namespace kwker::audit

#include "audit/verdict.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <vector>

namespace kwker::audit {
namespace {

// Inside this share of 1x a difference is of no practical meaning.
constexpr double kSame = 0.01;

std::vector<const RunOutcome*> Ended(std::span<const RunOutcome> runs, Side side) {
  std::vector<const RunOutcome*> ended;
  for (const RunOutcome& run : runs) {
    if (run.request.side == side && run.end == RunEnd::kOk) ended.push_back(&run);
  }
  return ended;
}

std::vector<const RunOutcome*> WithResult(const std::vector<const RunOutcome*>& runs) {
  std::vector<const RunOutcome*> found;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(found),
               [](const RunOutcome* run) { return run->result.has_value(); });
  return found;
}

void Count(const RunOutcome& run, OutputsVerdict* verdict) {
  verdict->count = static_cast<std::int64_t>(run.result->outputs.size());
  for (const Output& output : run.result->outputs) {
    verdict->bytes += output.bytes;
    verdict->nans += output.nans;
  }
}

const RunOutcome* FirstFailed(std::span<const RunOutcome> runs, Side side) {
  const auto found = std::find_if(runs.begin(), runs.end(), [side](const RunOutcome& run) {
    return run.request.side == side && Failed(run);
  });
  return found == runs.end() ? nullptr : &*found;
}

// Decides by failures alone; false: no run failed.
bool JudgeFailures(std::span<const RunOutcome> runs, OutputsVerdict* verdict) {
  if (const RunOutcome* run = FirstFailed(runs, Side::kA)) {
    verdict->reason = "the script fails without Kwker: " + DescribeEnd(*run);
    return true;
  }
  const RunOutcome* failed = FirstFailed(runs, Side::kB);
  if (failed == nullptr) return false;
  // A script that fails now and then, or stumbles over what an earlier run left,
  // is no proof against Kwker: only a later run without it that passes is.
  const bool confirmed = std::any_of(runs.begin(), runs.end(), [failed](const RunOutcome& run) {
    return run.request.side == Side::kA && run.end == RunEnd::kOk &&
           run.request.order > failed->request.order;
  });
  verdict->equality = confirmed ? Equality::kDifferent : Equality::kUnknown;
  verdict->reason =
      confirmed ? "the script fails only with Kwker: " + DescribeEnd(*failed)
                : fmt::format("a run with Kwker failed ({}), and none without it has passed since",
                              DescribeEnd(*failed));
  return true;
}

std::optional<Difference> DifferenceAmong(const std::vector<const RunOutcome*>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto difference = FirstDifference(runs[0]->result->outputs, runs[i]->result->outputs,
                                      fmt::format("in run {}", runs[0]->request.order + 1),
                                      fmt::format("in run {}", runs[i]->request.order + 1));
    if (difference) return difference;
  }
  return std::nullopt;
}

std::string MissingResult(const RunOutcome& run) {
  const std::string why =
      run.result_error.empty()
          ? "it ended without giving its results (os._exit, exec or a crash at exit)"
          : run.result_error;
  return fmt::format("no outputs of run {}: {}", run.request.order + 1, why);
}

}  // namespace

std::string_view Name(Speed speed) {
  switch (speed) {
    case Speed::kFaster:
      return "faster";
    case Speed::kSlower:
      return "slower";
    case Speed::kNoDifference:
      return "no difference";
    case Speed::kInconclusive:
      break;
  }
  return "inconclusive";
}

std::string_view Name(Equality equality) {
  switch (equality) {
    case Equality::kEqual:
      return "equal";
    case Equality::kDifferent:
      return "different";
    case Equality::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view Name(Printed printed) {
  switch (printed) {
    case Printed::kEqual:
      return "equal";
    case Printed::kDifferent:
      return "different";
    case Printed::kVaries:
      return "varies";
    case Printed::kUnknown:
      break;
  }
  return "unknown";
}

Speed JudgeSpeed(const RatioEstimate& estimate) {
  if (!estimate.interval) return Speed::kInconclusive;
  const auto [low, high] = *estimate.interval;
  if (low >= 1 - kSame && high <= 1 + kSame) return Speed::kNoDifference;
  if (low > 1) return Speed::kFaster;
  if (high < 1) return Speed::kSlower;
  return Speed::kInconclusive;
}

OutputsVerdict JudgeOutputs(std::span<const RunOutcome> runs) {
  const auto ended_a = Ended(runs, Side::kA);
  const auto ended_b = Ended(runs, Side::kB);
  const auto baseline = WithResult(ended_a);
  const auto with = WithResult(ended_b);

  OutputsVerdict verdict;
  if (!baseline.empty()) {
    Count(*baseline[0], &verdict);
  } else if (!with.empty()) {
    Count(*with[0], &verdict);
  }
  const std::optional<Difference> unsteady = DifferenceAmong(baseline);
  if (baseline.size() >= 2) verdict.deterministic = !unsteady;

  if (JudgeFailures(runs, &verdict)) return verdict;
  if (unsteady) {
    verdict.first_difference = unsteady;
    verdict.reason =
        "the script is not deterministic: its runs without Kwker differ from each other";
    return verdict;
  }
  for (const RunOutcome* run : with) {
    if (baseline.empty()) break;
    verdict.first_difference = FirstDifference(baseline[0]->result->outputs, run->result->outputs,
                                               "without Kwker", "with Kwker");
    if (!verdict.first_difference) continue;
    if (baseline.size() == 1) {
      verdict.reason =
          "the sides differ, but one run without Kwker does not tell whether the script is "
          "deterministic";
    } else {
      verdict.equality = Equality::kDifferent;
      verdict.reason =
          fmt::format("run {} with Kwker differs from the {} runs without it, which agree",
                      run->request.order + 1, baseline.size());
    }
    return verdict;
  }
  for (const auto& side : {ended_a, ended_b}) {
    for (const RunOutcome* run : side) {
      if (!run->result) {
        verdict.reason = MissingResult(*run);
        return verdict;
      }
    }
  }
  if (baseline.empty() || with.empty()) {
    verdict.reason =
        fmt::format("no run {} Kwker has finished", baseline.empty() ? "without" : "with");
  } else if (verdict.count == 0) {
    verdict.reason = "the script left no tensors to compare";
  } else {
    verdict.equality = Equality::kEqual;
  }
  return verdict;
}

Printed JudgePrinted(std::span<const RunOutcome> runs) {
  const auto without = Ended(runs, Side::kA);
  const auto with = Ended(runs, Side::kB);
  if (without.empty() || with.empty()) return Printed::kUnknown;
  const auto differs = [&without](const RunOutcome* run) {
    return run->stdout_digest != without[0]->stdout_digest;
  };
  if (std::any_of(without.begin(), without.end(), differs)) return Printed::kVaries;
  return std::any_of(with.begin(), with.end(), differs) ? Printed::kDifferent : Printed::kEqual;
}

std::string DescribeEnd(const RunOutcome& run) {
  switch (run.end) {
    case RunEnd::kOk:
      return "exit status 0";
    case RunEnd::kExit:
      return fmt::format("exit status {}", run.exit_code);
    case RunEnd::kSignal: {
      const char* name = sigabbrev_np(run.signal);
      return name == nullptr ? fmt::format("signal {}", run.signal)
                             : fmt::format("signal {} (SIG{})", run.signal, name);
    }
    case RunEnd::kTimeout:
      return "over the time limit";
    case RunEnd::kInterrupted:
      break;
  }
  return "interrupted";
}

bool Failed(const RunOutcome& run) {
  return run.end == RunEnd::kExit || run.end == RunEnd::kSignal || run.end == RunEnd::kTimeout;
}

}  // namespace kwker::audit

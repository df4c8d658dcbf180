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

bool IsTensor(const Output& output) {
  return output.dtype != "combined" && !output.dtype.starts_with("python.") &&
         !output.dtype.starts_with("numpy.");
}

void Count(const RunOutcome& run, OutputsVerdict* verdict) {
  const std::vector<Output>& outputs = run.result->outputs;
  verdict->count = static_cast<std::int64_t>(outputs.size());
  verdict->tensors = std::all_of(outputs.begin(), outputs.end(), IsTensor);
  for (const Output& output : outputs) {
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
bool JudgeFailures(std::span<const RunOutcome> runs, const SideWords& words,
                   OutputsVerdict* verdict) {
  if (const RunOutcome* run = FirstFailed(runs, Side::kA)) {
    verdict->reason = fmt::format("the script fails {}: {}", words.runs_a, DescribeEnd(*run));
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
      confirmed ? fmt::format("the script fails only {}: {}", words.runs_b, DescribeEnd(*failed))
                : fmt::format("a run {} failed ({}), and none {} has passed since", words.runs_b,
                              DescribeEnd(*failed), words.its_a);
  return true;
}

bool IsComplete(const RunOutcome* run) { return run->result->incomplete.empty(); }

// Those with results, complete ones first: the first is what others are held against.
std::vector<const RunOutcome*> Comparable(const std::vector<const RunOutcome*>& runs) {
  std::vector<const RunOutcome*> found = WithResult(runs);
  std::stable_partition(found.begin(), found.end(), IsComplete);
  return found;
}

std::optional<Difference> DifferenceAmong(const std::vector<const RunOutcome*>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    auto difference = FirstDifference(*runs[0]->result, *runs[i]->result,
                                      fmt::format("in run {}", runs[0]->request.order + 1),
                                      fmt::format("in run {}", runs[i]->request.order + 1));
    if (difference) return difference;
  }
  return std::nullopt;
}

std::optional<bool> Deterministic(const std::vector<const RunOutcome*>& runs, bool differ) {
  if (differ) return false;
  if (std::count_if(runs.begin(), runs.end(), IsComplete) < 2) return std::nullopt;
  return true;
}

// Whether this run, in which no difference was found, speaks against that one.
// An incomplete run that lacks the output in question says nothing of it.
bool Contradicts(const RunOutcome* run, const Difference& difference) {
  const std::vector<Output>& outputs = run->result->outputs;
  return IsComplete(run) || std::any_of(outputs.begin(), outputs.end(), [&](const Output& output) {
           return output.name == difference.name;
         });
}

struct Split {
  const RunOutcome* first_odd = nullptr;  // with Kwker, differs from the baseline
  int odd = 0;
  int agree_with = 0;     // with Kwker, but like the baseline
  int agree_without = 0;  // the baseline's own
};

Split SplitRuns(const std::vector<const RunOutcome*>& baseline,
                const std::vector<const RunOutcome*>& with, const SideWords& words,
                std::optional<Difference>* first) {
  Split split;
  std::vector<const RunOutcome*> alike;
  for (const RunOutcome* run : with) {
    auto difference =
        FirstDifference(*baseline[0]->result, *run->result, words.runs_a, words.runs_b);
    if (!difference) {
      alike.push_back(run);
      continue;
    }
    ++split.odd;
    if (split.first_odd != nullptr && split.first_odd->request.order < run->request.order) continue;
    split.first_odd = run;
    *first = std::move(difference);
  }
  if (split.odd == 0) return split;
  const auto contradicts = [&](const RunOutcome* run) { return Contradicts(run, **first); };
  split.agree_with = static_cast<int>(std::count_if(alike.begin(), alike.end(), contradicts));
  split.agree_without =
      static_cast<int>(std::count_if(baseline.begin(), baseline.end(), contradicts));
  return split;
}

std::string Runs(int count) { return fmt::format("{} run{}", count, count == 1 ? "" : "s"); }

// Decides by differences between the sides; false: there is none. The baseline
// agrees with itself.
bool JudgeDifferences(const std::vector<const RunOutcome*>& baseline,
                      const std::vector<const RunOutcome*>& with, const SideWords& words,
                      OutputsVerdict* verdict) {
  if (baseline.empty()) return false;
  const Split split = SplitRuns(baseline, with, words, &verdict->first_difference);
  if (split.odd == 0) return false;
  const std::string odd =
      fmt::format("run {} {}", split.first_odd->request.order + 1, words.runs_b);
  if (split.agree_with > 0) {
    verdict->reason = fmt::format(
        "{} runs differ among themselves: {} of {} differ from those {}, which agree; the script "
        "may be rarely non-deterministic, or {}; more --pairs show how often it happens on each "
        "side",
        words.runs_b, split.odd, split.odd + split.agree_with, words.its_a,
        words == SideWords() ? "a kernel of Kwker's is" : "what B changes is");
  } else if (split.agree_without < kAgreeWithout) {
    verdict->another_run_of = Side::kA;
    verdict->reason = fmt::format(
        "the sides differ, but {} {} {} too few to tell whether the script is deterministic",
        Runs(split.agree_without), words.runs_a, split.agree_without == 1 ? "is" : "are");
  } else if (split.odd < kDifferWith) {
    verdict->another_run_of = Side::kB;
    verdict->reason =
        fmt::format("{} differs from those {}, but one run is no proof", odd, words.its_a);
  } else {
    verdict->equality = Equality::kDifferent;
    verdict->reason = fmt::format("{} differs from the {} {}, which agree", odd,
                                  Runs(split.agree_without), words.its_a);
    if (verdict->deterministic_with == false) {
      verdict->reason += fmt::format("; those {} differ among themselves, too", words.runs_b);
    }
  }
  return true;
}

std::string MissingResult(const RunOutcome& run) {
  const std::string why =
      run.result_error.empty()
          ? "it ended without giving its results (os._exit, exec or a crash at exit)"
          : run.result_error;
  return fmt::format("no outputs of run {}: {}", run.request.order + 1, why);
}

std::string Incomplete(const RunOutcome& run) {
  const std::vector<std::string>& reasons = run.result->incomplete;
  std::string text = fmt::format("not all outputs of run {} could be compared: {}",
                                 run.request.order + 1, reasons[0]);
  if (reasons.size() > 1) text += fmt::format(" (and {} more)", reasons.size() - 1);
  return text;
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

OutputsVerdict JudgeOutputs(std::span<const RunOutcome> runs, const SideWords& words) {
  const auto ended_a = Ended(runs, Side::kA);
  const auto ended_b = Ended(runs, Side::kB);
  const auto baseline = Comparable(ended_a);
  const auto with = Comparable(ended_b);

  OutputsVerdict verdict;
  if (!baseline.empty()) {
    Count(*baseline[0], &verdict);
  } else if (!with.empty()) {
    Count(*with[0], &verdict);
  }
  const std::optional<Difference> unsteady = DifferenceAmong(baseline);
  verdict.deterministic = Deterministic(baseline, unsteady.has_value());
  verdict.deterministic_with = Deterministic(with, DifferenceAmong(with).has_value());

  if (JudgeFailures(runs, words, &verdict)) return verdict;
  if (unsteady) {
    verdict.first_difference = unsteady;
    verdict.reason = fmt::format(
        "the script is not deterministic: its runs {} differ from each other", words.runs_a);
    return verdict;
  }
  if (JudgeDifferences(baseline, with, words, &verdict)) return verdict;
  for (const auto& side : {ended_a, ended_b}) {
    for (const RunOutcome* run : side) {
      if (run->result && IsComplete(run)) continue;
      verdict.reason = run->result ? Incomplete(*run) : MissingResult(*run);
      return verdict;
    }
  }
  if (baseline.empty() || with.empty()) {
    verdict.reason =
        fmt::format("no run {} has finished", baseline.empty() ? words.runs_a : words.runs_b);
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

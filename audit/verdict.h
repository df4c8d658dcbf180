// The two verdicts of an audit. What cannot be known is said so: kInconclusive
// and kUnknown never become kFaster or kEqual for want of evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "audit/compare_outputs.h"
#include "audit/run.h"
#include "audit/side_words.h"
#include "audit/statistics.h"

namespace kwker::audit {

enum class Speed { kFaster, kSlower, kNoDifference, kInconclusive };
enum class Equality { kEqual, kDifferent, kUnknown };
enum class Printed { kEqual, kDifferent, kVaries, kUnknown };  // kVaries: also without Kwker

// The names in reports: "faster", "slower", "no difference", "inconclusive";
// "equal", "different", "unknown"; and "varies".
std::string_view Name(Speed speed);
std::string_view Name(Equality equality);
std::string_view Name(Printed printed);

// kNoDifference: the whole interval within 1% of 1, whether it holds 1 or not.
// kFaster, kSlower: the whole interval on one side of 1. Else kInconclusive.
Speed JudgeSpeed(const RatioEstimate& estimate);

struct OutputsVerdict {
  Equality equality = Equality::kUnknown;
  std::string reason;                          // one sentence; empty if equal
  std::optional<Difference> first_difference;  // if different, or some runs differ
  // Whether the runs without Kwker are all alike; absent: fewer than two of them
  // have complete outputs.
  std::optional<bool> deterministic;
  std::optional<bool> deterministic_with;  // the same of those with it
  // The sides differ, but too few runs of this side say so to call it different:
  // another may settle it.
  std::optional<Side> another_run_of;
  // Whether all outputs are tensors, not other values that the script recorded.
  bool tensors = true;
  // Of the first run without Kwker that has a result (else with it).
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t nans = 0;
};

// A script whose outputs change with the weather now and then may by chance do so
// in runs with Kwker only: before that is held against Kwker, so many runs
// without it must agree with each other, and so many with it differ from them.
inline constexpr int kAgreeWithout = 3;
inline constexpr int kDifferWith = 2;

// Looks at all runs that ended well, warm-ups included, and in this order:
// - a run that failed only with Kwker: different;
// - runs without Kwker differ from each other: unknown;
// - some with Kwker differ from those without. All of them do, and they are
//   enough: different. Not enough: unknown, see another_run_of. Others with Kwker
//   do not: unknown, for then the runs with Kwker differ among themselves;
// - a run without result or with incomplete outputs, no run of a side, no outputs
//   at all: unknown;
// - else equal.
OutputsVerdict JudgeOutputs(std::span<const RunOutcome> runs, const SideWords& words = {});

// The same for the text printed to stdout; it never decides anything.
Printed JudgePrinted(std::span<const RunOutcome> runs);

// "exit status 3", "signal 11 (SIGSEGV)", "over the time limit", "interrupted".
std::string DescribeEnd(const RunOutcome& run);

// kExit, kSignal and kTimeout; an interruption says nothing about the script.
bool Failed(const RunOutcome& run);

}  // namespace kwker::audit

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
  std::optional<Difference> first_difference;  // if different, or not deterministic
  // Whether the runs without Kwker are all alike; absent: fewer than two of them.
  std::optional<bool> deterministic;
  // Of the first run without Kwker that has a result (else with it).
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t nans = 0;
};

// Looks at all runs that ended well, warm-ups included, and in this order:
// a run that failed only with Kwker: different. Runs without Kwker differ from
// each other: unknown. One with Kwker differs from them: different (unknown if
// there is but one run to differ from). A run without result, no run of a side,
// no outputs at all: unknown. Else equal.
OutputsVerdict JudgeOutputs(std::span<const RunOutcome> runs);

// The same for the text printed to stdout; it never decides anything.
Printed JudgePrinted(std::span<const RunOutcome> runs);

// "exit status 3", "signal 11 (SIGSEGV)", "over the time limit", "interrupted".
std::string DescribeEnd(const RunOutcome& run);

// kExit, kSignal and kTimeout; an interruption says nothing about the script.
bool Failed(const RunOutcome& run);

}  // namespace kwker::audit

// How many pairs an audit makes.
#pragma once

#include <optional>
#include <string_view>

#include "audit/setup.h"
#include "audit/statistics.h"

namespace kwker::audit {

enum class Stop {
  kNumber,      // as many as --pairs says
  kWidth,       // the interval is narrow enough
  kMaxPairs,    // it is not, but there are --max-pairs
  kMaxTime,     // another pair would end after --max-time
  kNoInterval,  // more pairs would not help: their times cannot be compared
};

// "pairs", "width", "max pairs", "max time", "no interval".
std::string_view Name(Stop stop);

struct PairPlan {
  int next_look = 0;         // number of pairs after which the width is looked at
  int pairs = 0;             // finished and still to make, as it looks now
  std::optional<Stop> stop;  // there: no more pairs, and why
};

// What is known between two pairs.
struct SoFar {
  int pairs = 0;            // finished
  int next_look = 0;        // as the plan before this one says; 0: there is none
  RatioEstimate speedup;    // of these
  double elapsed_s = 0;     // since the audit's start, warm-ups included
  double pair_seconds = 0;  // that the next pair will take; 0: not known
};

// options.pairs of them where options.max_pairs is absent. Otherwise at least so
// many, and then more while the interval is wider than options.width, or until
// max_pairs or the time limit. Only the width and the time decide: never where
// the interval lies, or looking again and again would find more "faster" and
// "slower" than there is (calibration_test.cc). Even the width is looked at seldom,
// for it is narrow by chance now and then: first after options.pairs, then after as
// many as it will probably need, as it falls with the square root of the pairs.
//
// Whatever the limits, one pair is made. Without a max_time_s of the user's
// kPatience limits the pairs beyond the first options.pairs.
PairPlan PlanPairs(const Options& options, const SoFar& so_far);

inline constexpr double kPatience = 600;  // seconds

}  // namespace kwker::audit

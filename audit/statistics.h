// How much faster, and how sure that is.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kwker::audit {

// A ratio of times, without over with: above 1 is faster with Kwker.
struct Interval {
  double low = 0;
  double high = 0;
};

struct RatioEstimate {
  std::optional<double> estimate;    // absent: no pair
  std::optional<Interval> interval;  // 95%; absent: fewer than two pairs
  int pairs = 0;
  std::string method;  // for the report; empty without an interval
};

// How the number of pairs came about: fixed beforehand, or more of them until
// the interval was narrow enough (audit/pair_plan.h).
enum class PairsBy { kNumber, kWidth };

// `log_ratios`: one a pair, ln(time without / time with), each finite.
//
// Fewer than 6 pairs: mean and Student's t,
//   mean +- w t(0.975, n - 1) s / sqrt(n).
// From 6 on: Yuen's trimmed t, that is the mean without the smallest and the
// largest, and the Tukey-McLaughlin interval around it,
//   mean_t +- w (1 + 30/n^3) t(0.975, n - 3) s_w / ((1 - 2/n) sqrt(n)),
// s_w the standard deviation after both extremes are replaced by their
// neighbours (R. Wilcox, Introduction to Robust Estimation and Hypothesis
// Testing, section 4.3). Both work on logarithms, the result is their
// exponential: 2x and 0.5x are equally far from 1x.
//
// Two factors make the intervals hold what they say, by simulation
// (calibration_test.cc):
// - 1 + 30/n^3: for normal noise the trimmed statistic's quantile is above t's,
//   by 13.5, 8.4, 5.5, 2.9, 1.9% at 6, 7, 8, 10, 12 pairs (3 million samples
//   each; the factor is within half a percent of all of them). Without it a
//   false "faster" or "slower" is said in 6 to 7% of audits of 6 to 8 pairs.
// - w = 1.06: a load that comes and goes makes neighbouring runs alike, which
//   without it gives 5.5 to 6% instead of 5%. Plain noise then gives 4%.
// - w = 1.24 where the width decided when to stop: that prefers the moments at
//   which the pairs happen to look more alike than they are, which with w = 1.06
//   gives up to 6% (plain noise) or 8% (that load).
RatioEstimate EstimateRatio(std::span<const double> log_ratios, PairsBy by = PairsBy::kNumber);

// How much larger a second sample is than a first one that has nothing to do with
// it: difference of means and Welch's t, of logarithms, each sample with at least
// one value. No interval if one has fewer than two.
RatioEstimate CompareSamples(std::span<const double> first_logs,
                             std::span<const double> second_logs);

// A straight line through points, by least squares.
struct Trend {
  double slope = 0;
  double p = 1;  // chance of a slope as steep from points without any trend
};

// Of at least three points, not all of one x. `fixed` is the number of parameters
// that were fitted to `y` before (a mean for each side, say), the line's own not
// counted.
Trend FitTrend(std::span<const double> x, std::span<const double> y, int fixed);

// Quantiles of a sample with at least one value.
double Median(std::span<const double> values);

// Of a sample with at least two values.
double StandardDeviation(std::span<const double> values);

// Standard deviation of a sample by its median absolute deviation, so that a
// few odd values do not matter (scaled to agree with the usual one for normal
// noise). 0 with fewer than two values.
double RobustSpread(std::span<const double> values);

}  // namespace kwker::audit

#include "audit/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace kwker::audit {
namespace {

constexpr double kTail = 0.025;          // on each side of a 95% interval
constexpr std::size_t kTrimmedFrom = 6;  // pairs
constexpr double kLoad = 1.06;           // these two: see statistics.h
constexpr double kStoppedByWidth = 1.24;
constexpr double kNormalPerMad = 1.4826;  // standard deviation over median absolute deviation

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double SolveStudentQuantile(std::size_t degrees_of_freedom) {
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(boost::math::complement(distribution, kTail));
}

// Each solved once: simulations ask millions of times.
double StudentQuantile(std::size_t degrees_of_freedom) {
  static const std::vector<double> solved = [] {
    std::vector<double> quantiles = {0};
    while (quantiles.size() < 64) quantiles.push_back(SolveStudentQuantile(quantiles.size()));
    return quantiles;
  }();
  return degrees_of_freedom < solved.size() ? solved[degrees_of_freedom]
                                            : SolveStudentQuantile(degrees_of_freedom);
}

RatioEstimate FromLogs(double centre, double half_width, std::size_t pairs, std::string method) {
  return {std::exp(centre), Interval{std::exp(centre - half_width), std::exp(centre + half_width)},
          static_cast<int>(pairs), std::move(method)};
}

double Widening(PairsBy by) { return by == PairsBy::kWidth ? kStoppedByWidth : kLoad; }

RatioEstimate Student(std::span<const double> logs, PairsBy by) {
  const std::size_t n = logs.size();
  const double error = StandardDeviation(logs) / std::sqrt(static_cast<double>(n));
  return FromLogs(Mean(logs), Widening(by) * StudentQuantile(n - 1) * error, n,
                  "Student's t on the logarithms of the pairs' ratios");
}

RatioEstimate Trimmed(std::span<const double> logs, PairsBy by) {
  const std::size_t n = logs.size();
  std::vector<double> sorted(logs.begin(), logs.end());
  std::sort(sorted.begin(), sorted.end());
  const double centre = Mean(std::span(sorted).subspan(1, n - 2));
  sorted.front() = sorted[1];
  sorted.back() = sorted[n - 2];
  const double count = static_cast<double>(n);
  const double error = StandardDeviation(sorted) / ((1 - 2 / count) * std::sqrt(count));
  const double few = 1 + 30 / (count * count * count);  // see statistics.h
  return FromLogs(
      centre, Widening(by) * few * StudentQuantile(n - 3) * error, n,
      "Yuen's trimmed t (one pair cut at each end) on the logarithms of the pairs' ratios");
}

}  // namespace

RatioEstimate EstimateRatio(std::span<const double> log_ratios, PairsBy by) {
  if (log_ratios.empty()) return {};
  if (log_ratios.size() == 1) return {std::exp(log_ratios[0]), std::nullopt, 1, ""};
  RatioEstimate ratio =
      log_ratios.size() < kTrimmedFrom ? Student(log_ratios, by) : Trimmed(log_ratios, by);
  if (by == PairsBy::kWidth) ratio.method += ", wider by 17% as their width decided when to stop";
  return ratio;
}

RatioEstimate CompareSamples(std::span<const double> first_logs,
                             std::span<const double> second_logs) {
  const double difference = Mean(second_logs) - Mean(first_logs);
  RatioEstimate ratio;
  ratio.estimate = std::exp(difference);
  ratio.pairs = static_cast<int>(std::min(first_logs.size(), second_logs.size()));
  if (ratio.pairs < 2) return ratio;
  const auto part = [](std::span<const double> logs) {
    const double deviation = StandardDeviation(logs);
    return deviation * deviation / static_cast<double>(logs.size());
  };
  const double first = part(first_logs), second = part(second_logs), sum = first + second;
  double half = 0;
  if (sum > 0) {
    const double freedom = sum * sum /
                           (first * first / static_cast<double>(first_logs.size() - 1) +
                            second * second / static_cast<double>(second_logs.size() - 1));
    const boost::math::students_t distribution(freedom);
    half = boost::math::quantile(boost::math::complement(distribution, kTail)) * std::sqrt(sum);
  }
  ratio.interval = Interval{std::exp(difference - half), std::exp(difference + half)};
  ratio.method = "Welch's t on logarithms";
  return ratio;
}

Trend FitTrend(std::span<const double> x, std::span<const double> y, int fixed) {
  const double mean_x = Mean(x), mean_y = Mean(y);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  Trend trend;
  const double freedom = static_cast<double>(x.size()) - 1 - fixed;
  if (!(xx > 0) || freedom < 1) return trend;
  trend.slope = xy / xx;
  const double rest = std::max(0.0, yy - trend.slope * xy);
  const double error = std::sqrt(rest / freedom / xx);
  if (!(error > 0)) {
    trend.p = trend.slope == 0 ? 1 : 0;
    return trend;
  }
  const boost::math::students_t distribution(freedom);
  const double t = std::abs(trend.slope / error);
  trend.p = 2 * boost::math::cdf(boost::math::complement(distribution, t));
  return trend;
}

double StandardDeviation(std::span<const double> values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double Median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RobustSpread(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double median = Median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return kNormalPerMad * Median(deviations);
}

}  // namespace kwker::audit

#include "audit/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace kwker::audit {
namespace {

constexpr double kTail = 0.025;           // on each side of a 95% interval
constexpr std::size_t kTrimmedFrom = 6;   // pairs
constexpr double kLoad = 1.06;            // see statistics.h
constexpr double kNormalPerMad = 1.4826;  // standard deviation over median absolute deviation

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double StudentQuantile(std::size_t degrees_of_freedom) {
  const boost::math::students_t distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(boost::math::complement(distribution, kTail));
}

RatioEstimate FromLogs(double centre, double half_width, std::size_t pairs, std::string method) {
  return {std::exp(centre), Interval{std::exp(centre - half_width), std::exp(centre + half_width)},
          static_cast<int>(pairs), std::move(method)};
}

RatioEstimate Student(std::span<const double> logs) {
  const std::size_t n = logs.size();
  const double error = StandardDeviation(logs) / std::sqrt(static_cast<double>(n));
  return FromLogs(Mean(logs), kLoad * StudentQuantile(n - 1) * error, n,
                  "Student's t on the logarithms of the pairs' ratios");
}

RatioEstimate Trimmed(std::span<const double> logs) {
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
      centre, kLoad * few * StudentQuantile(n - 3) * error, n,
      "Yuen's trimmed t (one pair cut at each end) on the logarithms of the pairs' ratios");
}

}  // namespace

RatioEstimate EstimateRatio(std::span<const double> log_ratios) {
  if (log_ratios.empty()) return {};
  if (log_ratios.size() == 1) return {std::exp(log_ratios[0]), std::nullopt, 1, ""};
  return log_ratios.size() < kTrimmedFrom ? Student(log_ratios) : Trimmed(log_ratios);
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

#include "audit/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kwker::audit {
namespace {

std::vector<double> Logs(std::vector<double> ratios) {
  for (double& ratio : ratios) ratio = std::log(ratio);
  return ratios;
}

TEST(EstimateRatio, WithoutPairs) {
  const RatioEstimate estimate = EstimateRatio({});
  EXPECT_FALSE(estimate.estimate);
  EXPECT_FALSE(estimate.interval);
  EXPECT_EQ(estimate.pairs, 0);
}

TEST(EstimateRatio, OnePairHasNoInterval) {
  const RatioEstimate estimate = EstimateRatio(Logs({1.5}));
  EXPECT_DOUBLE_EQ(*estimate.estimate, 1.5);
  EXPECT_FALSE(estimate.interval);
  EXPECT_TRUE(estimate.method.empty());
}

TEST(EstimateRatio, StudentWithFewPairs) {
  const std::vector<double> logs = {0.1, 0.2, 0.3, 0.2, 0.2};
  const RatioEstimate estimate = EstimateRatio(logs);
  EXPECT_DOUBLE_EQ(*estimate.estimate, std::exp(0.2));
  // s = sqrt(0.02 / 4), t(0.975, 4) = 2.776445.
  const double half = 1.06 * 2.776445 * std::sqrt(0.005) / std::sqrt(5);
  EXPECT_NEAR(std::log(estimate.interval->low), 0.2 - half, 1e-6);
  EXPECT_NEAR(std::log(estimate.interval->high), 0.2 + half, 1e-6);
  EXPECT_NE(estimate.method.find("Student"), std::string::npos);
  EXPECT_EQ(estimate.pairs, 5);
}

TEST(EstimateRatio, TrimmedFromSixPairsOn) {
  const std::vector<double> logs = {9, 0.2, 0.4, 0.1, 0.3, -9};  // sorted: -9 .1 .2 .3 .4 9
  const RatioEstimate estimate = EstimateRatio(logs);
  EXPECT_NEAR(std::log(*estimate.estimate), 0.25, 1e-12);
  // Winsorized: .1 .1 .2 .3 .4 .4, squares' sum 0.095; t(0.975, 3) = 3.182446.
  const double half =
      1.06 * (1 + 30.0 / 216) * 3.182446 * std::sqrt(0.095 / 5) / (4.0 / 6 * std::sqrt(6));
  EXPECT_NEAR(std::log(estimate.interval->high), 0.25 + half, 1e-6);
  EXPECT_NEAR(std::log(estimate.interval->low), 0.25 - half, 1e-6);
  EXPECT_NE(estimate.method.find("Yuen"), std::string::npos);
}

TEST(EstimateRatio, WiderWhereTheWidthDecided) {
  for (const std::vector<double>& logs :
       {std::vector<double>{0.1, 0.25, 0.3}, {0.1, 0.2, 0.3, 0.5, 0.1, 0.7, 0.2}}) {
    const RatioEstimate fixed = EstimateRatio(logs);
    const RatioEstimate by_width = EstimateRatio(logs, PairsBy::kWidth);
    EXPECT_EQ(by_width.estimate, fixed.estimate);
    EXPECT_NEAR(std::log(by_width.interval->high / by_width.interval->low),
                1.24 / 1.06 * std::log(fixed.interval->high / fixed.interval->low), 1e-12);
    EXPECT_NE(by_width.method.find("wider by 17%"), std::string::npos);
  }
}

TEST(EstimateRatio, ExchangingTheSidesInvertsIt) {
  for (const std::vector<double>& logs :
       {std::vector<double>{0.1, 0.25, 0.3}, {0.1, 0.2, 0.3, 0.5, 0.1, 0.7, 0.2}}) {
    std::vector<double> negative = logs;
    for (double& log : negative) log = -log;
    const RatioEstimate one = EstimateRatio(logs);
    const RatioEstimate other = EstimateRatio(negative);
    EXPECT_NEAR(*one.estimate * *other.estimate, 1, 1e-12);
    EXPECT_NEAR(one.interval->low * other.interval->high, 1, 1e-12);
  }
}

TEST(EstimateRatio, OrderOfPairsDoesNotMatter) {
  std::vector<double> logs = {0.1, 0.2, 0.3, 0.5, 0.1, 0.7, 0.2};
  const RatioEstimate before = EstimateRatio(logs);
  std::reverse(logs.begin(), logs.end());
  EXPECT_NEAR(EstimateRatio(logs).interval->low, before.interval->low, 1e-12);
}

TEST(EstimateRatio, EqualPairs) {
  const RatioEstimate estimate = EstimateRatio(Logs({2, 2, 2, 2, 2, 2}));
  EXPECT_NEAR(estimate.interval->low, 2, 1e-12);
  EXPECT_NEAR(estimate.interval->high, 2, 1e-12);
}

TEST(CompareSamples, Welch) {
  const std::vector<double> first = {0.1, 0.2, 0.3}, second = {0.5, 0.6, 0.7, 0.8};
  const RatioEstimate ratio = CompareSamples(first, second);
  EXPECT_NEAR(std::log(*ratio.estimate), 0.45, 1e-12);
  // Squared errors 0.01/3 and 0.05/3/4: 0.0075 in all; 4.9592 degrees of freedom.
  const double half = 2.577 * std::sqrt(0.0075);
  EXPECT_NEAR(std::log(ratio.interval->low), 0.45 - half, 1e-3);
  EXPECT_NEAR(std::log(ratio.interval->high), 0.45 + half, 1e-3);
  EXPECT_FALSE(CompareSamples(first, std::vector<double>{1}).interval);
  const std::vector<double> same = {1, 1};
  EXPECT_EQ(CompareSamples(same, same).interval->low, 1);
}

TEST(FitTrend, SlopeAndChance) {
  const std::vector<double> x = {1, 2, 3, 4, 5};
  const Trend trend = FitTrend(x, std::vector<double>{2, 4, 5, 4, 5}, 1);
  EXPECT_NEAR(trend.slope, 0.6, 1e-12);
  EXPECT_NEAR(trend.p, 0.124, 5e-4);  // t = 0.6 / sqrt(0.8 / 10) = 2.1213, 3 degrees of freedom
  EXPECT_EQ(FitTrend(x, std::vector<double>{3, 3, 3, 3, 3}, 1).p, 1);
  EXPECT_LT(FitTrend(x, std::vector<double>{1, 2, 3, 4, 5}, 1).p, 1e-6);
  EXPECT_EQ(FitTrend(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}, 1).p, 1);
}

TEST(Median, OddAndEven) {
  EXPECT_EQ(Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(Median(std::vector<double>{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(Median(std::vector<double>{7}), 7);
}

TEST(StandardDeviation, OfASample) {
  EXPECT_DOUBLE_EQ(StandardDeviation(std::vector<double>{1, 2, 3}), 1);
}

TEST(RobustSpread, IgnoresAnOddValue) {
  EXPECT_NEAR(RobustSpread(std::vector<double>{1, 2, 3, 4, 1000}), 1.4826, 1e-12);
  EXPECT_EQ(RobustSpread(std::vector<double>{5}), 0);
}

}  // namespace
}  // namespace kwker::audit

#include "audit/pair_plan.h"

#include <gtest/gtest.h>

#include <string>

namespace kwker::audit {
namespace {

class PlanPairsTest : public ::testing::Test {
 protected:
  PlanPairsTest() { options_.max_pairs = 20; }

  // `pairs` of them finished, the interval's upper end `width` above the lower.
  PairPlan Plan(int pairs, double width, double low = 1.2) const {
    SoFar so_far;
    so_far.pairs = pairs;
    so_far.next_look = next_look_;
    if (pairs > 0) so_far.speedup.estimate = low;
    if (pairs > 1) so_far.speedup.interval = Interval{low, low * (1 + width)};
    so_far.pair_seconds = pair_seconds_;
    so_far.elapsed_s = pairs * pair_seconds_ + warm_ups_s_;
    return PlanPairs(options_, so_far);
  }

  Options options_;
  double pair_seconds_ = 2;
  double warm_ups_s_ = 2;
  int next_look_ = 0;
};

TEST_F(PlanPairsTest, FixedNumber) {
  options_.max_pairs.reset();
  for (int pairs = 0; pairs < 5; ++pairs) {
    EXPECT_EQ(Plan(pairs, 0.5).pairs, 5);
    EXPECT_FALSE(Plan(pairs, 0.5).stop);
  }
  EXPECT_EQ(Plan(5, 0.5).stop, Stop::kNumber);
  pair_seconds_ = 10'000;
  EXPECT_FALSE(Plan(4, 0.5).stop);  // whatever it takes
}

TEST_F(PlanPairsTest, AtLeastFive) {
  for (int pairs = 0; pairs < 5; ++pairs) EXPECT_FALSE(Plan(pairs, 0.001).stop);
  EXPECT_EQ(Plan(5, 0.001).stop, Stop::kWidth);
  EXPECT_EQ(Plan(1, 0).pairs, 5);
}

TEST_F(PlanPairsTest, MoreWhileTheIntervalIsWide) {
  const PairPlan plan = Plan(5, 0.07);
  EXPECT_FALSE(plan.stop);
  EXPECT_EQ(plan.pairs, 10);  // (ln 1.07 / ln 1.05)^2 = 1.92 times as many
  EXPECT_EQ(Plan(10, 0.0499).stop, Stop::kWidth);
  EXPECT_EQ(Plan(10, 0.0501).pairs, 11);
  EXPECT_EQ(Plan(6, 9).pairs, 20);
  EXPECT_EQ(Plan(20, 9).stop, Stop::kMaxPairs);
}

TEST_F(PlanPairsTest, LooksOnlyWhereItMeantTo) {
  next_look_ = 10;
  EXPECT_FALSE(Plan(9, 0.001).stop);
  EXPECT_EQ(Plan(9, 0.001).next_look, 10);
  EXPECT_EQ(Plan(10, 0.001).stop, Stop::kWidth);
  options_.max_time_s = 12;  // the plan stays, though the time does not suffice for it
  EXPECT_EQ(Plan(4, 0.001).next_look, 10);
  EXPECT_EQ(Plan(4, 0.001).pairs, 5);
}

// "Almost significant" is no reason for another pair.
TEST_F(PlanPairsTest, WhereTheIntervalLiesDoesNotMatter) {
  for (int pairs = 2; pairs <= 20; ++pairs) {
    for (const double width : {0.01, 0.05, 0.08, 0.3}) {
      const PairPlan plan = Plan(pairs, width, 1.2);
      for (const double low : {0.5, 0.96, 0.999, 1.001}) {
        EXPECT_EQ(Plan(pairs, width, low).pairs, plan.pairs);
        EXPECT_EQ(Plan(pairs, width, low).stop, plan.stop);
      }
    }
  }
}

TEST_F(PlanPairsTest, FewerThanFiveAtMost) {
  options_.max_pairs = 3;
  EXPECT_EQ(Plan(0, 0).pairs, 3);
  EXPECT_EQ(Plan(3, 0.5).stop, Stop::kMaxPairs);
  options_.max_pairs = 1;
  EXPECT_EQ(Plan(1, 0).stop, Stop::kMaxPairs);
}

TEST_F(PlanPairsTest, TheTimeThatIsLeft) {
  options_.max_time_s = 14;  // warm-ups and six pairs
  EXPECT_EQ(Plan(5, 9).pairs, 6);
  EXPECT_FALSE(Plan(5, 9).stop);
  EXPECT_EQ(Plan(6, 9).stop, Stop::kMaxTime);
  options_.max_time_s = 7;  // two
  EXPECT_EQ(Plan(0, 0).pairs, 2);
  EXPECT_EQ(Plan(2, 9).stop, Stop::kMaxTime);
  options_.max_time_s = 1e-3;  // one in any case
  EXPECT_FALSE(Plan(0, 0).stop);
  EXPECT_EQ(Plan(0, 0).pairs, 1);
  EXPECT_EQ(Plan(1, 0).stop, Stop::kMaxTime);
  options_.max_pairs.reset();  // of a fixed number, too
  EXPECT_EQ(Plan(1, 0).stop, Stop::kMaxTime);
}

TEST_F(PlanPairsTest, PatienceIsForPairsBeyondTheFifth) {
  pair_seconds_ = 2 * kPatience;
  for (int pairs = 0; pairs < 5; ++pairs) {
    EXPECT_FALSE(Plan(pairs, 9).stop);
    EXPECT_EQ(Plan(pairs, 9).pairs, 5);
  }
  EXPECT_EQ(Plan(5, 9).stop, Stop::kMaxTime);
  pair_seconds_ = kPatience / 10;
  EXPECT_EQ(Plan(5, 9).pairs, 9);
  pair_seconds_ = 0;  // not known yet
  EXPECT_EQ(Plan(0, 0).pairs, 5);
}

TEST_F(PlanPairsTest, TimesThatCannotBeCompared) {
  SoFar so_far;
  so_far.pairs = 5;
  so_far.pair_seconds = 1;
  EXPECT_EQ(PlanPairs(options_, so_far).stop, Stop::kNoInterval);
}

TEST(StopName, EachOfThem) {
  for (const Stop stop : {Stop::kNumber, Stop::kWidth, Stop::kMaxPairs, Stop::kMaxTime}) {
    EXPECT_NE(Name(stop), Name(Stop::kNoInterval));
  }
}

}  // namespace
}  // namespace kwker::audit

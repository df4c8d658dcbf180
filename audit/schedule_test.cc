#include "audit/schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace kwker::audit {
namespace {

// "ab" for warm-ups, "AB" for counted runs.
std::string Sides(const std::vector<RunRequest>& schedule) {
  std::string sides;
  for (const RunRequest& run : schedule) {
    sides += run.side == Side::kA ? (run.warm_up ? 'a' : 'A') : (run.warm_up ? 'b' : 'B');
  }
  return sides;
}

TEST(MakeSchedule, WarmsUpThenBalancesPairs) {
  EXPECT_EQ(Sides(MakeSchedule(1, 5)), "abABBABAABBA");
  EXPECT_EQ(Sides(MakeSchedule(2, 4)), "ababABBABAAB");
  EXPECT_EQ(Sides(MakeSchedule(0, 1)), "AB");
  EXPECT_EQ(Sides(MakeSchedule(0, 8)), "ABBABAABBAABABBA");
  EXPECT_EQ(Sides(MakeSchedule(0, 0)), "");
  EXPECT_EQ(Sides(MakeSchedule(-1, -1)), "");
}

TEST(MakeSchedule, NumbersRunsAndPairs) {
  const std::vector<RunRequest> schedule = MakeSchedule(1, 3);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    EXPECT_EQ(schedule[i].order, static_cast<int>(i));
    EXPECT_EQ(schedule[i].pair, i < 2 ? -1 : static_cast<int>(i - 2) / 2);
  }
}

TEST(MakeSchedule, DriftHitsBothSidesAlike) {
  // Sums of the places and of their squares: a steady drift and one that bends.
  const std::vector<RunRequest> schedule = MakeSchedule(0, 4);
  int linear = 0, square = 0;
  for (const RunRequest& run : schedule) {
    const int sign = run.side == Side::kA ? 1 : -1;
    linear += sign * run.order;
    square += sign * run.order * run.order;
  }
  EXPECT_EQ(linear, 0);
  EXPECT_EQ(square, 0);
}

}  // namespace
}  // namespace kwker::audit

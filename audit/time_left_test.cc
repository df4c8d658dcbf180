#include "audit/time_left.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

TEST(TimeLeft, UnknownAtFirst) {
  EXPECT_FALSE(TimeLeft().OneRun(Side::kA));
  EXPECT_FALSE(TimeLeft().Rest(Side::kA, 1, 5));
}

TEST(TimeLeft, EachSideBySideItself) {
  TimeLeft time_left;
  time_left.RunEnded(Side::kA, 10);
  EXPECT_EQ(time_left.OneRun(Side::kB), 10);
  time_left.RunEnded(Side::kB, 6);
  time_left.RunEnded(Side::kB, 8);
  EXPECT_EQ(time_left.OneRun(Side::kA), 10);
  EXPECT_EQ(time_left.OneRun(Side::kB), 7);
  EXPECT_EQ(time_left.Rest(Side::kB, 3, 2), 4 + 17);
  EXPECT_EQ(time_left.Rest(Side::kB, 30, 0), 0);
}

}  // namespace
}  // namespace kwker::audit

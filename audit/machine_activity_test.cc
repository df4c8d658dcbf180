#include "audit/machine_activity.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kwker::audit {
namespace {

constexpr char kStat[] =
    "cpu  1000 20 300 99999 50 4 6 70 11 12\n"
    "cpu0 500 10 150 50000 25 2 3 35 1 1\n"
    "cpu1 500 10 150 49999 25 2 3 35 10 11\n"
    "intr 5 6 7\nctxt 99\n";

TEST(ParseMachineActivity, Counters) {
  const auto activity =
      ParseMachineActivity(kStat, "nr_free_pages 9\npswpin 3\npswpout 4\npgfault 5\n", 100);
  ASSERT_TRUE(activity);
  EXPECT_DOUBLE_EQ(activity->busy_s, 13.3);
  EXPECT_DOUBLE_EQ(activity->stolen_s, 0.7);
  EXPECT_EQ(activity->cpus, 2);
  EXPECT_EQ(activity->swapped_pages, 7);
}

TEST(ParseMachineActivity, WhatIsNotThere) {
  EXPECT_FALSE(ParseMachineActivity("", "", 100));
  EXPECT_FALSE(ParseMachineActivity("cpu 1 2\ncpu0 1 2\n", "", 100));
  EXPECT_FALSE(ParseMachineActivity("cpu a b c\n", "x", 100));
  const auto old = ParseMachineActivity("cpu 1 1 1 1 1 1 1\ncpu0 1\n", "pswpin x", 1);
  ASSERT_TRUE(old);  // a kernel that knows no stolen time
  EXPECT_EQ(old->stolen_s, 0);
  EXPECT_EQ(old->swapped_pages, 0);
}

TEST(ReadMachineActivity, ThisMachineIsBusyWithThis) {
  const auto before = ReadMachineActivity();
  ASSERT_TRUE(before);
  EXPECT_GT(before->cpus, 0);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_GT(ReadMachineActivity()->busy_s, before->busy_s);
}

}  // namespace
}  // namespace kwker::audit

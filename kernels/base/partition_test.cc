#include "kernels/base/partition.h"

#include <gtest/gtest.h>

#include <vector>

namespace kwker {
namespace {

struct Item {
  std::int64_t numel;
  int index;
};

// Every element in exactly one range, whatever the sizes and the threads.
TEST(ForEachRangeTest, CoversEveryElementOnce) {
  const std::vector<std::vector<std::int64_t>> lists = {
      {}, {0}, {1}, {1000000}, {64, 64, 64}, {5, 100000, 0, 7, 333333, 1}, {1, 1, 1, 1, 99999}};
  for (const auto& list : lists) {
    std::vector<Item> items;
    for (const std::int64_t n : list) items.push_back({n, static_cast<int>(items.size())});
    for (const int threads : {1, 2, 3, 8}) {
      std::vector<std::vector<int>> seen;
      for (const std::int64_t n : list) seen.emplace_back(n, 0);
      int used = 0;
      const ParallelFor parallel_for = {threads, [&](int tasks, const auto& body) {
                                          used = tasks;
                                          for (int i = 0; i < tasks; ++i) body(i);
                                        }};
      ForEachRange(std::span<const Item>(items), 1000, parallel_for,
                   [&](const Item& item, std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i) ++seen[item.index][i];
                   });
      EXPECT_LE(used, threads);
      for (const auto& counts : seen) {
        for (const int count : counts) ASSERT_EQ(count, 1);
      }
    }
  }
}

TEST(ForEachRangeTest, SmallWorkStaysOnTheCallingThread) {
  const Item item = {1000, 0};
  const ParallelFor parallel_for = {8, [](int, const auto&) { FAIL() << "asked for threads"; }};
  ForEachRange(std::span<const Item>(&item, 1), 1000, parallel_for,
               [](const Item&, std::int64_t, std::int64_t) {});
}

}  // namespace
}  // namespace kwker

#include "kernels/base/loop_ends.h"

#include <gtest/gtest.h>

#include <vector>

namespace kwker {
namespace {

// Of every element whether it is in the rest of a range, asked for in pieces of
// `piece` elements.
std::vector<bool> InRest(std::int64_t numel, std::size_t size, int threads, std::int64_t piece) {
  std::vector<bool> result;
  const LoopEnds ends(numel, size, threads);
  for (std::int64_t begin = 0; begin < numel; begin += piece) {
    ends.ForEachPart(begin, std::min(numel, begin + piece),
                     [&](std::int64_t from, std::int64_t to, bool in_rest) {
                       EXPECT_EQ(from, static_cast<std::int64_t>(result.size()));
                       EXPECT_LT(from, to);
                       result.insert(result.end(), to - from, in_rest);
                     });
  }
  return result;
}

std::vector<bool> Flags(const std::vector<std::pair<std::int64_t, bool>>& runs) {
  std::vector<bool> flags;
  for (const auto& [count, flag] : runs) flags.insert(flags.end(), count, flag);
  return flags;
}

TEST(LoopEndsTest, OneRangeForFewElements) {
  for (const int threads : {1, 2, 4}) {
    EXPECT_EQ(InRest(40, 4, threads, 40), Flags({{32, false}, {8, true}}));
    EXPECT_EQ(InRest(50, 4, threads, 50), Flags({{48, false}, {2, true}}));
    EXPECT_EQ(InRest(43, 8, threads, 43), Flags({{40, false}, {3, true}}));
    EXPECT_EQ(InRest(7, 8, threads, 7), Flags({{7, true}}));
    EXPECT_EQ(InRest(32768, 4, threads, 999), Flags({{32768, false}}));
  }
  EXPECT_EQ(InRest(0, 4, 1, 1), Flags({}));
}

TEST(LoopEndsTest, OneRangeAThread) {
  // 32769 elements in two ranges: 16385 and 16384.
  EXPECT_EQ(InRest(32769, 4, 2, 1000), Flags({{16384, false}, {1, true}, {16384, false}}));
  EXPECT_EQ(InRest(32769, 4, 1, 1000), Flags({{32768, false}, {1, true}}));
  // 65537 elements are worth three threads; ranges of 21846, 21846 and 21845.
  EXPECT_EQ(
      InRest(65537, 8, 4, 777),
      Flags({{21840, false}, {6, true}, {21840, false}, {6, true}, {21840, false}, {5, true}}));
}

}  // namespace
}  // namespace kwker

#include "kernels/optim/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/optim/reference.h"

namespace kwker::optim {
namespace {

// Of every size, also some that threads share.
std::vector<std::vector<std::byte>> Blocks() {
  std::vector<std::vector<std::byte>> blocks;
  int x = 1;
  for (const std::size_t size : {0, 1, 3, 64, 65, 4096, 1 << 20, 7, (1 << 19) + 5}) {
    blocks.emplace_back(size);
    for (std::byte& byte : blocks.back()) byte = static_cast<std::byte>(x = x * 75 % 65537);
  }
  return blocks;
}

TEST(MemoryTest, CopiesAllBytes) {
  for (const int threads : {1, 3}) {
    const auto from = Blocks();
    auto to = from;
    std::vector<CopiedBlock> blocks;
    for (std::size_t i = 0; i < to.size(); ++i) {
      std::fill(to[i].begin(), to[i].end(), std::byte{0});
      blocks.push_back({to[i].data(), from[i].data(), static_cast<std::int64_t>(to[i].size())});
    }
    Copy(blocks, Backwards(threads));
    EXPECT_EQ(to, from);
  }
}

TEST(MemoryTest, ClearsAllBytesAndNoOther) {
  for (const int threads : {1, 3}) {
    const auto before = Blocks();
    auto cleared = before;
    std::vector<ClearedBlock> blocks;
    for (auto& block : cleared) {
      if (block.size() < 3) continue;
      blocks.push_back({block.data() + 1, static_cast<std::int64_t>(block.size() - 2)});
    }
    Clear(blocks, Backwards(threads));
    for (std::size_t i = 0; i < cleared.size(); ++i) {
      for (std::size_t k = 0; k < cleared[i].size(); ++k) {
        const bool kept = cleared[i].size() < 3 || k == 0 || k + 1 == cleared[i].size();
        ASSERT_EQ(cleared[i][k], kept ? before[i][k] : std::byte{0}) << i << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace kwker::optim

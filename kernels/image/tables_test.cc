#include "kernels/image/tables.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace kwker::image {
namespace {

// Two images of three channels, by planes or by pixels, rows `gap` bytes apart.
void Check(std::int64_t rows, std::int64_t width, bool by_pixels, int gap, int threads) {
  const std::int64_t pixel = by_pixels ? 3 : 1, row = width * pixel + gap;
  const std::int64_t channel = by_pixels ? 1 : rows * row;
  const std::int64_t image = by_pixels ? rows * row : 3 * channel;
  std::vector<std::uint8_t> in(static_cast<std::size_t>(2 * image)), out(in.size(), 7);
  std::mt19937 random(static_cast<unsigned>(rows + width));
  for (auto& x : in) x = static_cast<std::uint8_t>(random());
  std::vector<ByteTable> tables(6);
  for (auto& table : tables) {
    for (auto& x : table) x = static_cast<std::uint8_t>(random());
  }
  const ParallelFor backwards = {threads, [](int tasks, const std::function<void(int)>& body) {
                                   for (int i = tasks - 1; i >= 0; --i) body(i);
                                 }};
  const Pixels<const std::uint8_t> from = {in.data(), image, row, pixel, channel};
  const PlaneSizes sizes = {2, 3, rows, width};
  std::vector<ByteCounts> counts(6), expected(6);
  CountBytes(from, sizes, counts, backwards);
  ApplyTables(from, {out.data(), image, row, pixel, channel}, sizes, tables, backwards);

  for (std::int64_t plane = 0; plane < 6; ++plane) {
    for (std::int64_t i = 0; i < rows * width; ++i) {
      const std::int64_t at =
          plane / 3 * image + plane % 3 * channel + i / width * row + i % width * pixel;
      ++expected[plane][in[at]];
      ASSERT_EQ(out[at], tables[plane][in[at]]);
      out[at] = 7;
    }
  }
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(out, std::vector<std::uint8_t>(out.size(), 7)) << "wrote into a gap";
}

TEST(Tables, CountAndMapEveryByteOnce) {
  for (const auto& [rows, width] : {std::pair{1, 1}, {3, 5}, {2, 17}, {31, 64}}) {
    for (const bool by_pixels : {false, true}) {
      for (const int gap : {0, 5}) Check(rows, width, by_pixels, gap, 1);
    }
  }
  Check(300, 200, false, 0, 3);
  Check(300, 200, true, 1, 3);
}

TEST(Tables, TreatPixelsOfFourBytes) {
  std::mt19937 random(1);
  for (const std::int64_t pixels : {1, 2, 7, 64, 1001}) {
    std::vector<std::uint8_t> in(static_cast<std::size_t>(4 * pixels)), out(in.size());
    for (auto& x : in) x = static_cast<std::uint8_t>(random());
    std::array<ByteTable, 3> tables;
    for (auto& table : tables) {
      for (auto& x : table) x = static_cast<std::uint8_t>(random());
    }
    std::array<ByteCounts, 3> expected = {};
    ApplyTables(in.data(), out.data(), pixels, tables);
    for (std::size_t i = 0; i < in.size(); ++i) {
      EXPECT_EQ(out[i], i % 4 == 3 ? 0 : tables[i % 4][in[i]]);
      if (i % 4 < 3) ++expected[i % 4][in[i]];
    }
    EXPECT_EQ(CountBytes(in.data(), pixels), expected);
  }
}

TEST(Tables, RulesForAllBytesAndThresholds) {
  // Neighbours of every kind beside each byte.
  std::vector<std::uint8_t> in, out;
  for (int x = 0; x < 256; ++x) {
    for (const int other : {0, 127, 128, 255}) {
      for (const int byte : {x, other, x, other}) in.push_back(static_cast<std::uint8_t>(byte));
    }
  }
  out.resize(in.size());
  for (int threshold = 0; threshold <= 256; ++threshold) {
    for (const std::uint8_t mask : {0xFF, 0xE0, 0x80}) {
      ApplyRule(in.data(), out.data(), static_cast<std::int64_t>(in.size() / 4), {threshold, mask});
      for (std::size_t i = 0; i < in.size(); ++i) {
        const int x = in[i] >= threshold ? 255 - in[i] : in[i];
        ASSERT_EQ(out[i], i % 4 == 3 ? 0 : x & mask) << threshold << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace kwker::image

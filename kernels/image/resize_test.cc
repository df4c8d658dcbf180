#include "kernels/image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kwker::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint8_t Clipped(std::uint32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(static_cast<std::int32_t>(sum) >> 22, 0, 255));
}

// One pass by the formula. Element (line, i) of the input is at
// line * line_step + i * element_step; likewise for the output.
struct Steps {
  int line, element;
};

void ReferencePass(const Taps& taps, int lines, Steps in_steps, Steps out_steps, const Bytes& in,
                   Bytes* out) {
  for (int line = 0; line < lines; ++line) {
    for (int x = 0; x < taps.out_size; ++x) {
      std::uint32_t sum = 1u << 21;
      for (int i = 0; i < taps.count[x]; ++i) {
        sum += in[line * in_steps.line + (taps.first[x] + i) * in_steps.element] *
               static_cast<std::uint32_t>(FixedPoint(taps.Weights(x)[i]));
      }
      (*out)[line * out_steps.line + x * out_steps.element] = Clipped(sum);
    }
  }
}

struct Picture {
  int width, height, pixel;
  Bytes bytes;
};

// Each of a pixel's bytes is a plane of its own.
Picture Reference(const Picture& in, const ResizeGeometry& g, bool along_rows) {
  Picture out = {
      along_rows ? g.out_width : in.width, along_rows ? in.height : g.out_height, in.pixel, {}};
  out.bytes.resize(out.width * out.height * out.pixel);
  const Taps taps =
      along_rows
          ? MakeTaps(g.filter, g.in_width, g.left, g.right, g.out_width, Precision::kDouble)
          : MakeTaps(g.filter, g.in_height, g.top, g.bottom, g.out_height, Precision::kDouble);
  for (int c = 0; c < in.pixel; ++c) {
    const Bytes shifted(in.bytes.begin() + c, in.bytes.end());
    Bytes plane(out.bytes.size());
    const Steps in_row = {in.width * in.pixel, in.pixel},
                out_row = {out.width * in.pixel, in.pixel};
    if (along_rows) {
      ReferencePass(taps, in.height, in_row, out_row, shifted, &plane);
    } else {
      ReferencePass(taps, in.width, {in_row.element, in_row.line}, {out_row.element, out_row.line},
                    shifted, &plane);
    }
    for (std::size_t i = c; i < plane.size(); i += in.pixel) out.bytes[i] = plane[i - c];
  }
  return out;
}

Bytes ReferenceResize(const Picture& in, const ResizeGeometry& g, std::uint32_t channels) {
  Picture now = in;
  for (const bool along_rows : {g.HorizontalFirst(), !g.HorizontalFirst()}) {
    if (along_rows ? g.NeedsHorizontal() : g.NeedsVertical()) now = Reference(now, g, along_rows);
  }
  for (std::size_t i = 0; i < now.bytes.size(); ++i) {
    now.bytes[i] &= static_cast<std::uint8_t>(channels >> (8 * (i % 4)));
  }
  return now.bytes;
}

class ResizeTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }

  void Check(const ResizeGeometry& g, int pixel, std::uint32_t channels) {
    Picture in = {g.in_width, g.in_height, pixel, {}};
    in.bytes.resize(in.width * in.height * pixel);
    // Extremes, as they meet the limits of 16 and 32 bits, and noise.
    for (auto& byte : in.bytes) {
      const auto bits = static_cast<std::uint32_t>(random_());
      byte = static_cast<std::uint8_t>(bits & 0x100 ? bits : bits & 0x200 ? 255 : 0);
    }
    // Each row in memory of its own, so that a sanitizer sees what is read beside it.
    std::vector<Bytes> rows;
    std::vector<const std::uint8_t*> pointers;
    const int row_bytes = in.width * pixel;
    for (int y = 0; y < in.height; ++y) {
      const auto begin = in.bytes.begin() + y * row_bytes;
      rows.emplace_back(begin, begin + row_bytes);
    }
    for (const Bytes& row : rows) pointers.push_back(row.data());
    const bool contiguous = random_() % 2 == 0;
    for (int y = 0; contiguous && y < in.height; ++y) {
      pointers[y] = in.bytes.data() + y * row_bytes;
    }
    Bytes out(g.out_width * g.out_height * pixel);
    ASSERT_TRUE(ResizeBytes(g, {pixel, channels}, pointers.data(), out.data(), GetParam()));
    const Bytes expected = ReferenceResize(in, g, channels);
    const auto at = std::mismatch(out.begin(), out.end(), expected.begin()).first;
    ASSERT_EQ(at, out.end()) << "byte " << at - out.begin() << ", filter "
                             << static_cast<int>(g.filter) << ", " << g.in_width << "x"
                             << g.in_height << " to " << g.out_width << "x" << g.out_height
                             << ", pixels of " << pixel << ", box " << g.left << " " << g.top << " "
                             << g.right << " " << g.bottom;
  }

  int Draw(int low, int high) { return low + static_cast<int>(random_() % (high - low + 1)); }

  ResizeGeometry Geometry(int most) {
    ResizeGeometry g = {};
    g.in_width = Draw(1, most), g.in_height = Draw(1, most);
    g.out_width = Draw(1, most), g.out_height = Draw(1, most);
    if (Draw(0, 5) == 0) g.out_width = g.in_width;
    if (Draw(0, 5) == 0) g.out_height = g.in_height;
    g.right = static_cast<float>(g.in_width), g.bottom = static_cast<float>(g.in_height);
    if (Draw(0, 2) == 0) {
      g.left = g.right * static_cast<float>(Draw(0, 50)) / 101;
      g.right -= g.right * static_cast<float>(Draw(0, 50)) / 103;
      g.top = g.bottom * static_cast<float>(Draw(0, 50)) / 107;
    }
    g.filter = static_cast<Filter>(Draw(1, 7));
    return g;
  }

  std::mt19937 random_{1};
};

constexpr std::uint32_t kAll = 0xFFFFFFFF, kThree = 0x00FFFFFF, kFirstAndLast = 0xFF0000FF;

TEST_P(ResizeTest, EqualsTheFormulaToTheBit) {
  for (int i = 0; i < 1500; ++i) {
    const ResizeGeometry g = Geometry(i < 1000 ? 40 : 150);
    if (!g.NeedsHorizontal() && !g.NeedsVertical()) continue;
    const std::uint32_t channels[] = {kAll, kThree, kFirstAndLast};
    if (i % 2 == 0) {
      Check(g, 1, kAll);
    } else {
      Check(g, 4, channels[i % 3]);
    }
  }
}

TEST_P(ResizeTest, ShrinksAndGrowsFar) {
  for (const Filter filter : {Filter::kBox, Filter::kBilinear, Filter::kMks2021}) {
    for (const int pixel : {1, 4}) {
      Check({2000, 3, 3, 2, 0, 0, 2000, 3, filter}, pixel, kAll);
      Check({3, 2000, 2, 3, 0, 0, 3, 2000, filter}, pixel, kAll);
      Check({1, 1, 130, 70, 0, 0, 1, 1, filter}, pixel, kAll);
      Check({700, 5, 60, 5, 0, 0, 700, 5, filter}, pixel, kAll);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, ResizeTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

TEST(FixedPointTest, RoundsHalfAwayFromZero) {
  EXPECT_EQ(FixedPoint(1), 1 << 22);
  EXPECT_EQ(FixedPoint(1.5 / (1 << 22)), 2);
  EXPECT_EQ(FixedPoint(-1.5 / (1 << 22)), -2);
  EXPECT_EQ(FixedPoint(-0.4 / (1 << 22)), 0);
}

TEST(TapsTest, WeightsOfALineAddUpToOne) {
  for (int filter = 1; filter <= 7; ++filter) {
    const Taps taps =
        MakeTaps(static_cast<Filter>(filter), 100, 3.25f, 77.5f, 31, Precision::kDouble);
    ASSERT_EQ(taps.out_size, 31);
    for (int x = 0; x < 31; ++x) {
      double sum = 0;
      for (int i = 0; i < taps.stride; ++i) sum += taps.Weights(x)[i];
      EXPECT_NEAR(sum, 1, 1e-14) << filter << " " << x;
      EXPECT_GE(taps.first[x], 0);
      EXPECT_LE(taps.first[x] + taps.count[x], 100);
      EXPECT_LE(taps.count[x], taps.stride);
    }
  }
}

// On boxes as crops and resizes have them, of all sizes.
TEST(TapsTest, QuickWeightsAreTheSameInFixedPoint) {
  std::mt19937 random(1);
  for (int i = 0; i < 4000; ++i) {
    const int in_size = 1 + static_cast<int>(random() % 600);
    const int out_size = 1 + static_cast<int>(random() % 300);
    const float begin = i % 3 == 0 ? static_cast<float>(random() % 100) * 0.0049f * in_size : 0;
    const Filter filter = i % 2 == 0 ? Filter::kLanczos : Filter::kHamming;
    const auto end = static_cast<float>(in_size);
    const Taps exact = MakeTaps(filter, in_size, begin, end, out_size, Precision::kDouble);
    const Taps quick = MakeTaps(filter, in_size, begin, end, out_size, Precision::kFixedPoint);
    ASSERT_EQ(exact.first, quick.first);
    ASSERT_EQ(exact.count, quick.count);
    for (std::size_t at = 0; at < exact.weights.size(); ++at) {
      ASSERT_EQ(FixedPoint(exact.weights[at]), FixedPoint(quick.weights[at]));
      ASSERT_NEAR(exact.weights[at], quick.weights[at], 1e-12);
    }
  }
}

}  // namespace
}  // namespace kwker::image

#include "kernels/image/sharpen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace kwker::image {
namespace {

float MultiplyAdd(float a, float b, float c, bool fused) {
  return fused ? std::fma(a, b, c) : a * b + c;
}

// The header's formula for the element that `x` points to.
template <typename T>
float Formula(const T* x, std::int64_t row, std::int64_t step, float factor, float rest,
              bool pillow, bool is_spare, bool fused) {
  float d = 0;
  int sum = 0;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      const T pixel = x[i * row + j * step];
      const bool inner = i == 0 && j == 0;
      sum += static_cast<int>(inner ? 5 * pixel : pixel);
      const auto weight = static_cast<float>((inner ? 5.0 : 1.0) / 13.0);
      d = i == -1 && j == -1 ? static_cast<float>(pixel) * weight
                             : MultiplyAdd(static_cast<float>(pixel), weight, d, fused);
    }
  }
  const auto value = static_cast<float>(*x);
  if constexpr (std::is_same_v<T, float>) {
    const float v = MultiplyAdd(d - value, rest, value, fused);
    return v < 0 ? 0 : v > 1 ? 1 : v;
  }
  d = is_spare ? 0 : std::round(static_cast<float>(sum) / 13.0f);
  const float v = pillow ? d + factor * (value - d) : MultiplyAdd(d - value, rest, value, fused);
  return std::trunc(std::clamp(v, 0.0f, 255.0f));
}

template <typename T>
void Check(Isa isa, std::int64_t rows, std::int64_t width, std::int64_t step, int gap, int threads,
           bool pillow = false) {
  const std::int64_t n = width * step, row = n + gap, plane = rows * row + 3;
  std::vector<T> in(static_cast<std::size_t>(2 * plane)), out(in.size(), T{77});
  std::mt19937 random(static_cast<unsigned>(rows * width));
  for (T& x : in) {
    x = std::is_same_v<T, float> ? static_cast<T>(static_cast<float>(random() % 1200) / 1000 - 0.1f)
                                 : static_cast<T>(random());
  }
  if constexpr (std::is_same_v<T, float>) {
    in[0] = -0.0f;
    in[1] = std::numeric_limits<float>::quiet_NaN();
  }
  const float factor = 1.7f, rest = -0.7f;
  const SharpenPass<T> pass = {in.data(), plane, row,   out.data(), plane,  row,
                               2,         rows,  width, step,       factor, rest};
  const ParallelFor backwards = {threads, [](int tasks, const std::function<void(int)>& body) {
                                   for (int i = tasks - 1; i >= 0; --i) body(i);
                                 }};
  if constexpr (std::is_same_v<T, float>) {
    SharpenFloats(pass, isa, backwards);
  } else if (pillow) {
    SharpenPillow(pass, isa, backwards);
  } else {
    SharpenBytes(pass, isa, backwards);
  }
  const bool fused = isa != Isa::kDefault;
  for (std::int64_t i = 0; i < 2 * plane; ++i) {
    const std::int64_t y = i % plane / row, x = i % plane % row;
    if (y >= rows || x >= n) {
      ASSERT_EQ(out[i], T{77}) << "wrote into a gap";
      continue;
    }
    auto expected = static_cast<float>(in[i]);
    if (y > 0 && y < rows - 1 && x >= step && x < n - step) {
      expected = Formula(&in[i], row, step, factor, rest, pillow, pillow && x % 4 == 3, fused);
    } else if (std::is_same_v<T, float> && !std::isnan(expected)) {
      expected = expected < 0 ? 0 : expected > 1 ? 1 : expected;
    }
    const auto actual = static_cast<float>(out[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(actual)) << y << ' ' << x;
    } else {
      ASSERT_EQ(actual, expected) << y << ' ' << x;
      ASSERT_EQ(std::signbit(actual), std::signbit(expected)) << y << ' ' << x;
    }
  }
}

class SharpenTest : public testing::TestWithParam<Isa> {};

TEST_P(SharpenTest, EqualsTheFormulas) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  for (const auto& [rows, width] : {std::pair{3, 3}, {3, 4}, {7, 5}, {4, 17}, {5, 67}, {3, 1100}}) {
    for (const int gap : {0, 5}) {
      for (const int step : {1, 3}) {
        Check<std::uint8_t>(GetParam(), rows, width, step, gap, 1);
        Check<float>(GetParam(), rows, width, step, gap, 1);
      }
      Check<std::uint8_t>(GetParam(), rows, width, 4, gap, 1, /*pillow=*/true);
    }
  }
}

TEST_P(SharpenTest, ThreadsDoNotChangeBits) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  Check<std::uint8_t>(GetParam(), 301, 200, 3, 0, 3);
  Check<float>(GetParam(), 301, 200, 1, 2, 3);
}

INSTANTIATE_TEST_SUITE_P(Isas, SharpenTest,
                         testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::image

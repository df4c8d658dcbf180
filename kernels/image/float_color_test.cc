#include "kernels/image/float_color.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kwker::image {
namespace {

using Floats = std::vector<float>;

const ParallelFor kBackwards = {2, [](int tasks, const std::function<void(int)>& body) {
                                  for (int i = tasks - 1; i >= 0; --i) body(i);
                                }};

float MultiplyAdd(float a, float b, float c, bool fused) {
  return fused ? std::fma(a, b, c) : a * b + c;
}

Floats Random(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  Floats values(static_cast<std::size_t>(n));
  for (float& x : values) x = static_cast<float>(random() % 1001) / 1000;
  return values;
}

// Planes, or pixels of three values; rows with a gap between them.
struct Layout {
  bool by_pixels;
  int gap;
};

template <typename T>
Pixels<T> Place(T* data, Layout layout, std::int64_t rows, std::int64_t width) {
  if (layout.by_pixels) {
    const std::int64_t row = 3 * width + layout.gap;
    return {data, rows * row, row, 3, 1};
  }
  const std::int64_t row = width + layout.gap;
  return {data, 3 * rows * row, row, 1, rows * row};
}

std::int64_t Size(std::int64_t rows, std::int64_t width) { return 2 * 3 * rows * (3 * width + 9); }

template <typename T>
T* At(const Pixels<T>& pixels, std::int64_t image, std::int64_t y, std::int64_t x, int channel) {
  return pixels.data + image * pixels.image_step + y * pixels.row_step + x * pixels.pixel_step +
         channel * pixels.channel_step;
}

FloatPass MakePass(const Floats& in, Layout from, Floats& out, Layout to, std::int64_t rows,
                   std::int64_t width) {
  return {Place(in.data(), from, rows, width),
          Place(out.data(), to, rows, width),
          2,
          rows,
          width,
          1.7f,
          -0.7f};
}

class FloatColorTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  }
};

TEST_P(FloatColorTest, SaturationEqualsTheFormula) {
  const bool fused = GetParam() != Isa::kDefault;
  for (const auto& [rows, width] : {std::pair{1, 1}, {3, 5}, {2, 17}, {9, 131}, {70, 733}}) {
    for (const Layout layout : {Layout{false, 0}, {false, 3}, {true, 0}, {true, 2}}) {
      Floats in = Random(Size(rows, width)), out(in.size(), 77.0f);
      in[0] = std::numeric_limits<float>::quiet_NaN();
      in[1] = -0.0f;
      const FloatPass pass = MakePass(in, layout, out, layout, rows, width);
      FloatSaturation(pass, GetParam(), kBackwards);
      for (std::int64_t i = 0; i < 2LL * rows * width; ++i) {
        const std::int64_t n = i / (rows * width), y = i / width % rows, x = i % width;
        float gray = *At(pass.in, n, y, x, 0) * 0.2989f;
        gray = MultiplyAdd(*At(pass.in, n, y, x, 1), 0.587f, gray, fused);
        gray = MultiplyAdd(*At(pass.in, n, y, x, 2), 0.114f, gray, fused);
        for (int c = 0; c < 3; ++c) {
          const float value = *At(pass.in, n, y, x, c) * pass.factor;
          const float expected = MultiplyAdd(gray, pass.rest, value, fused);
          const float actual = *At(pass.out, n, y, x, c);
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(actual));
          } else {
            ASSERT_EQ(actual, expected < 0 ? 0 : expected > 1 ? 1 : expected);
          }
        }
      }
    }
  }
}

// What a hue is made of is compared with torchvision in tests/vision.
TEST_P(FloatColorTest, HueIsTheSameInAllLayouts) {
  const int rows = 50, width = 261;
  const Floats pixels = Random(3LL * 2 * rows * width);
  Floats expected;
  for (const Layout from : {Layout{false, 0}, {false, 3}, {true, 0}, {true, 2}}) {
    for (const Layout to : {Layout{false, 0}, {true, 2}}) {
      Floats in(static_cast<std::size_t>(Size(rows, width)), -1.0f), out(in.size(), 77.0f);
      const auto placed = Place(in.data(), from, rows, width);
      FloatPass pass = MakePass(in, from, out, to, rows, width);
      pass.factor = 0.3f;
      Floats actual;
      std::size_t next = 0;
      for (std::int64_t i = 0; i < 2LL * rows * width; ++i) {
        for (int c = 0; c < 3; ++c) {
          *At(placed, i / (rows * width), i / width % rows, i % width, c) = pixels[next++];
        }
      }
      ASSERT_TRUE(FloatHue(pass, GetParam(), kBackwards));
      for (std::int64_t i = 0; i < 2LL * rows * width; ++i) {
        for (int c = 0; c < 3; ++c) {
          actual.push_back(*At(pass.out, i / (rows * width), i / width % rows, i % width, c));
        }
      }
      if (expected.empty()) expected = actual;
      ASSERT_EQ(actual, expected);
    }
  }
}

TEST_P(FloatColorTest, HueRefusesWhatIsUnusual) {
  for (const float value : {-0.0f, -1e-40f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    for (const bool by_pixels : {false, true}) {
      for (const std::size_t at : {0, 100, 3 * 600 - 1}) {
        Floats in = Random(3 * 600), out(in.size());
        in[at] = value;
        const Layout layout = {by_pixels, 0};
        FloatPass pass = MakePass(in, layout, out, layout, 1, 600);
        pass.images = 1;
        EXPECT_FALSE(FloatHue(pass, GetParam(), kBackwards));
      }
    }
  }
}

TEST_P(FloatColorTest, SolarizeEqualsTheFormula) {
  for (const std::int64_t n : {1, 7, 16, 33, 70'001}) {
    Floats in = Random(n), out(in.size() + 1, 77.0f);
    in[0] = std::numeric_limits<float>::quiet_NaN();
    FloatSolarize(in.data(), out.data(), n, 0.25f, GetParam(), kBackwards);
    EXPECT_TRUE(std::isnan(out[0]));
    for (std::size_t i = 1; i < in.size(); ++i) {
      ASSERT_EQ(out[i], in[i] >= 0.25f ? 1 - in[i] : in[i]);
    }
    EXPECT_EQ(out.back(), 77);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, FloatColorTest,
                         testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::image

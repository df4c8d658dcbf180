#include "kernels/image/color.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace kwker::image {
namespace {

using Bytes = std::vector<std::uint8_t>;

float Quantized(float x) { return std::trunc(std::clamp(x, 0.0f, 255.0f)); }

float TorchGray(const float* p, bool fused) {
  if (!fused) return std::floor(p[2] * 0.114f + (p[1] * 0.587f + p[0] * 0.2989f));
  return std::floor(std::fma(p[2], 0.114f, std::fma(p[1], 0.587f, p[0] * 0.2989f)));
}

float PillowGray(const float* p) {
  const auto sum = 19595 * static_cast<int>(p[0]) + 38470 * static_cast<int>(p[1]) +
                   7471 * static_cast<int>(p[2]) + 32768;
  return static_cast<float>(sum >> 16);
}

// The header's formulas for one pixel; hues are compared with torchvision and Pillow in
// tests/vision, on all colours.
void Formula(const ColorOp& op, float mean, bool fused, float* p) {
  if (op.kind == ColorKind::kPillowGray) {
    p[0] = p[1] = p[2] = PillowGray(p);
    p[3] = op.padding;
    return;
  }
  const float gray = op.kind == ColorKind::kSaturation ? TorchGray(p, fused) : PillowGray(p);
  for (int c = 0; c < 3; ++c) {
    const float d = op.kind == ColorKind::kPillowBlend ? mean : gray;
    const float other = op.kind == ColorKind::kBlend ? mean : gray;
    switch (op.kind) {
      case ColorKind::kScale:
        p[c] = Quantized(p[c] * op.factor);
        break;
      case ColorKind::kBlend:
      case ColorKind::kSaturation:
        p[c] = Quantized(fused ? std::fma(other, op.rest, p[c] * op.factor)
                               : other * op.rest + p[c] * op.factor);
        break;
      default:
        p[c] = Quantized(d + op.factor * (p[c] - d));
    }
  }
  p[3] = Quantized(op.padding + op.factor * (p[3] - op.padding));
}

// An image's steps for 1, 3 or 4 bytes from pixel to pixel, its rows `gap` elements apart.
template <typename T>
Pixels<T> Steps(T* data, int pixel, std::int64_t rows, std::int64_t width, int gap) {
  const std::int64_t row = width * pixel + gap;
  const std::int64_t channel = pixel == 1 ? rows * row : 1;
  return {data, pixel == 1 ? 3 * channel : rows * row, row, pixel, channel};
}

std::int64_t Size(int pixel, std::int64_t rows, std::int64_t width, int gap) {
  return 2 * rows * (width * pixel + gap) * (pixel == 1 ? 3 : 1);
}

void Check(Isa isa, std::vector<ColorOp> ops, int in_pixel, int out_pixel, std::int64_t rows,
           std::int64_t width, int gap, int threads) {
  Bytes in(static_cast<std::size_t>(Size(in_pixel, rows, width, gap)));
  std::mt19937 random(static_cast<unsigned>(rows * width));
  for (auto& x : in) x = static_cast<std::uint8_t>(random());
  Bytes out(static_cast<std::size_t>(Size(out_pixel, rows, width, 0)), 77);
  const float means[] = {100.25f, 31};
  const bool pillow = in_pixel == 4;
  std::int64_t sums[] = {0, 0};
  std::vector<float> plane(static_cast<std::size_t>(2 * rows * width));
  Bytes bytes(plane.size());
  const ColorPass pass = {Steps<const std::uint8_t>(in.data(), in_pixel, rows, width, gap),
                          Steps(out.data(), out_pixel, rows, width, 0),
                          /*images=*/2,
                          rows,
                          width,
                          ops,
                          means,
                          pillow ? Gray::kPillow : Gray::kTorch,
                          sums,
                          plane.data(),
                          bytes.data()};
  const ParallelFor backwards = {threads, [](int tasks, const std::function<void(int)>& body) {
                                   for (int i = tasks - 1; i >= 0; --i) body(i);
                                 }};
  Color(pass, isa, backwards);

  const bool fused = isa != Isa::kDefault;
  const auto at = [](const auto& pixels, std::int64_t n, std::int64_t y, std::int64_t x, int c) {
    return pixels.data[n * pixels.image_step + y * pixels.row_step + x * pixels.pixel_step +
                       c * pixels.channel_step];
  };
  for (std::int64_t n = 0; n < 2; ++n) {
    std::int64_t sum = 0;
    for (std::int64_t y = 0; y < rows; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        float p[4] = {};
        for (int c = 0; c < (pillow ? 4 : 3); ++c) p[c] = at(pass.in, n, y, x, c);
        for (const ColorOp& op : ops) Formula(op, means[n], fused, p);
        for (int c = 0; c < (out_pixel == 4 ? 4 : 3); ++c) {
          ASSERT_EQ(static_cast<float>(at(pass.out, n, y, x, c)), p[c])
              << n << ' ' << y << ' ' << x << ' ' << c;
        }
        const float gray = pillow ? PillowGray(p) : TorchGray(p, fused);
        ASSERT_EQ(plane[static_cast<std::size_t>((n * rows + y) * width + x)], gray);
        ASSERT_EQ(static_cast<float>(bytes[static_cast<std::size_t>((n * rows + y) * width + x)]),
                  gray);
        sum += static_cast<std::int64_t>(gray);
      }
    }
    EXPECT_EQ(sums[n], sum);
  }
}

class ColorTest : public testing::TestWithParam<Isa> {};

TEST_P(ColorTest, EqualsTheFormulas) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  const std::vector<ColorOp> torch = {{ColorKind::kBlend, 0.7f, 0.3f},
                                      {ColorKind::kScale, 1.37f},
                                      {ColorKind::kSaturation, 1.9f, -0.9f}};
  const std::vector<ColorOp> pillow = {{ColorKind::kPillowBlend, 0.7f, 0.3f, 255},
                                       {ColorKind::kScale, 1.37f, 0, 0},
                                       {ColorKind::kPillowSaturation, 1.9f, -0.9f, 255}};
  const std::vector<ColorOp> gray = {{ColorKind::kPillowGray, 1, 0, 255}};
  for (const auto& [rows, width] :
       {std::pair{1, 1}, {3, 5}, {2, 17}, {9, 31}, {1, 515}, {7, 733}}) {
    for (const int gap : {0, 11}) {
      for (const int out_pixel : {1, 3}) {
        for (const int in_pixel : {1, 3}) {
          Check(GetParam(), torch, in_pixel, out_pixel, rows, width, gap, 1);
          Check(GetParam(), {}, in_pixel, out_pixel, rows, width, gap, 1);
        }
        Check(GetParam(), {}, 4, out_pixel, rows, width, gap, 1);
      }
      Check(GetParam(), pillow, 4, 4, rows, width, gap, 1);
      Check(GetParam(), gray, 4, 4, rows, width, gap, 1);
    }
  }
}

TEST_P(ColorTest, ThreadsDoNotChangeBits) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  const std::vector<ColorOp> ops = {{ColorKind::kSaturation, 1.9f, -0.9f}};
  Check(GetParam(), ops, 3, 1, 150, 301, 0, 3);
  Check(GetParam(), ops, 1, 3, 150, 301, 5, 3);
}

INSTANTIATE_TEST_SUITE_P(Isas, ColorTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

TEST(BlendIsTheSame, SeesWhereOneRoundingDiffersFromTwo) {
  EXPECT_TRUE(BlendIsTheSame(0.5f, 0.5f, 100, Isa::kAvx2));
  EXPECT_TRUE(BlendIsTheSame(0.7f, 0.3f, 100.1f, Isa::kDefault));
  // Rare: a blend that is a whole number but for the rounding of one product.
  std::mt19937 random(1);
  bool found = false;
  for (int i = 0; i < 100000 && !found; ++i) {
    const float factor = static_cast<float>(random() % 1024) / 1024;
    const float mean = static_cast<float>(random() % 65536) / 255;
    found = !BlendIsTheSame(factor, 1 - factor, mean, Isa::kAvx2);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace kwker::image

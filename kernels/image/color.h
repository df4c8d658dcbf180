// Chains of colour adjustments on 8-bit RGB images, in as few passes as may be.
//
// Sources: torchvision 0.28 (transforms/v2/functional/_color.py) for tensors; Pillow 13
// (ImageEnhance, Blend.c, Convert.c) for PIL images. Results are equal to theirs to the bit.
// Every adjustment gives whole numbers from 0 to 255 again: Q(x) = clamp x to [0, 255], then
// drop the fraction. All in float; round() after every operation, MAD(a, b, c) = a*b+c rounded
// once (AVX2, AVX-512) or twice (default) as ATen does:
//
//   kScale         Q(x * f)                                         tensors; PIL brightness
//   kBlend         Q(MAD(mean, 1 - f, x * f)), mean of the gray     tensors' contrast
//   kSaturation    Q(MAD(gray, 1 - f, x * f)) with
//                  gray = floor(MAD(b, .114, MAD(g, .587, r * .2989)))
//   kHue           x / 255 to hue, saturation, value; hue + f; back; Q(x * 255.999)
//   kPillowBlend       Q(d + f * (x - d)), d = mean of the gray     PIL contrast
//   kPillowSaturation  the same with d = gray =
//                      (19595 r + 38470 g + 7471 b + 32768) >> 16
//   kPillowHue     to HSV of 8 bits each, H + f modulo 256, and back
//   kPillowGray    that gray, in all three
//
// A PIL pixel is four bytes; the fourth shows through some doors of Pillow's, and is
// treated as Pillow treats it.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::image {

enum class ColorKind {
  kScale,
  kBlend,
  kSaturation,
  kHue,
  kPillowBlend,
  kPillowSaturation,
  kPillowHue,
  kPillowGray,
};

struct ColorOp {
  ColorKind kind;
  float factor;    // f; at most kLargestFactor
  float rest = 0;  // 1 - f, computed in double
  // Of the image that is blended with, in the fourth byte; of the result for kPillowHue and
  // kPillowGray.
  float padding = 0;
};

// So that products fit into integers.
inline constexpr float kLargestFactor = 1e6f;

// Whose formula makes a pixel gray.
enum class Gray { kNone, kTorch, kPillow };

// Images of one size; steps in elements. Channels are R, G, B.
template <typename T>
struct Pixels {
  T* data;
  std::int64_t image_step, row_step, pixel_step, channel_step;

  T* At(std::int64_t image, std::int64_t row, std::int64_t column) const {
    return data + image * image_step + row * row_step + column * pixel_step;
  }
};

struct ColorPass {
  Pixels<const std::uint8_t> in;
  Pixels<std::uint8_t> out;  // null data: nothing is written. May be `in` itself.
  std::int64_t images, rows, width;
  std::span<const ColorOp> ops;
  // Of each image, for kBlend and kPillowBlend, which only the first op may be.
  const float* means;
  // Of the results' gray: the sum for each image, added to what is there, and where `plane` or
  // `bytes` is not null the values, image by image and row by row.
  Gray gray;
  std::int64_t* sums;
  float* plane;
  std::uint8_t* bytes = nullptr;
};

// Four bytes a pixel are a PIL image's, and go to the like (the fourth is treated, too), to three
// or to planes. Without ops it copies from one layout to another.
void Color(const ColorPass& pass, Isa isa, const ParallelFor& parallel_for);

// What kBlend makes of each byte, and whether that is so however a compiler groups it:
// some elements of ATen's loop are rounded twice where others are rounded once.
bool BlendIsTheSame(float factor, float rest, float mean, Isa isa);

}  // namespace kwker::image

// Sharpness of images: every pixel that has eight neighbours is drawn towards their mean, or away.
//
// Sources: torchvision 0.28 (adjust_sharpness_image) for tensors; Pillow 13 (ImageFilter.SMOOTH,
// Filter.c and Blend.c) for PIL images. Results are equal to theirs to the bit.
//
// Of bytes, with s = the sum of the nine pixels + 4 x, a whole number:
//   d = s / 13 to the nearest whole number. s / 13 is never within 1/26 of a tie, so that the
//       order and the roundings of a sum of floats don't matter: torch's convolution gives this
//       by whatever library, and Pillow's filter does.
//   Torch:   Q(MAD(d - x, 1 - f, x))      Q: clamp to [0, 255], drop the fraction
//   Pillow:  Q(d + f * (x - d))           rounded twice at every instruction set
// Of floats:
//   d = the nine pixels by 1/13 or 5/13, row by row, each added by FMA to what is there: oneDNN's
//       depthwise convolution where it has FMA
//   clamp(MAD(d - x, 1 - f, x), 0, 1), which keeps NaN and -0
// The pixels of the border stay as they are, but for the clamp.
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::image {

// Planes of values, of `step` channels side by side: `width` is of pixels, row steps in elements.
template <typename T>
struct SharpenPass {
  const T* in;
  std::int64_t in_plane, in_row;
  T* out;  // not `in`
  std::int64_t out_plane, out_row;
  std::int64_t planes, rows, width, step;
  float factor, rest;  // f and 1 - f, computed in double
};

// At least three rows and three columns.
void SharpenBytes(const SharpenPass<std::uint8_t>& pass, Isa isa, const ParallelFor& parallel_for);
void SharpenFloats(const SharpenPass<float>& pass, Isa isa, const ParallelFor& parallel_for);

// Of a PIL image: four bytes a pixel, the smoothed image having zeros in the fourth.
void SharpenPillow(const SharpenPass<std::uint8_t>& pass, Isa isa, const ParallelFor& parallel_for);

}  // namespace kwker::image

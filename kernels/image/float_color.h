// Adjustments of float32 RGB images with values from 0 to 1.
//
// Source: torchvision 0.28 (transforms/v2/functional/_color.py). Results are equal to its to the
// bit; MAD(a, b, c) = a*b+c, rounded once (AVX2, AVX-512) or twice (default) as ATen does:
//
//   hue         to hue, saturation and value; hue + f; and back
//   saturation  clamp(MAD(gray, 1 - f, x * f), 0, 1), which keeps NaN and -0, with
//               gray = MAD(b, .114, MAD(g, .587, r * .2989))
//   solarize    1 - x where x >= threshold, x elsewhere
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"
#include "kernels/image/color.h"

namespace kwker::image {

struct FloatPass {
  Pixels<const float> in;
  Pixels<float> out;  // not `in`
  std::int64_t images, rows, width;
  float factor, rest;  // f and 1 - f, computed in double
};

// False, and the output of no use, where a value is negative, -0, infinite or a NaN: torchvision's
// many steps treat these in other ways.
bool FloatHue(const FloatPass& pass, Isa isa, const ParallelFor& parallel_for);

void FloatSaturation(const FloatPass& pass, Isa isa, const ParallelFor& parallel_for);

// Of n values one behind the other.
void FloatSolarize(const float* in, float* out, std::int64_t n, float threshold, Isa isa,
                   const ParallelFor& parallel_for);

}  // namespace kwker::image

// Pixels as floats: scaled to [0, 1], and brought to a mean and a deviation.
//
// Source: the documentation of torchvision.transforms.v2.ToDtype and .Normalize and
// of torchvision.transforms.ToTensor. The order of the roundings is that of
// torchvision 0.28, to which results are equal to the bit. With round() to float
// after every operation, and no fused multiply-add, at every instruction set:
//
//   x = a byte, exactly                                a float as it is: Scale::kNone
//   x = x * (float)(1 / 255.0)     Scale::kMultiply    v2
//   x = x / 255                    Scale::kDivide      v1
//   y = (x - mean[c]) / std[c]     where a mean is given
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::image {

enum class Scale { kNone, kMultiply, kDivide };

// How many floats a NormalizeRun's `mean` and `std` have: what the longest vectors
// need, from any channel on.
inline constexpr int kChannelPattern = 3 * 16 + 3;

// Elements that lie one behind the other in memory, input and output alike.
template <typename In>
struct NormalizeRun {
  const In* in;  // uint8_t or float; the same memory as `out`, or none of it
  float* out;
  std::int64_t numel;
  // Of the elements' channels, over and over: kChannelPattern of each, whose period
  // is 1, 2, 3 or 4. Null: not normalised.
  const float* mean;
  const float* std;
};

// All runs are normalised, or none is.
template <typename In>
void Normalize(std::span<const NormalizeRun<In>> runs, Scale scale, int period, Isa isa,
               const ParallelFor& parallel_for);

}  // namespace kwker::image

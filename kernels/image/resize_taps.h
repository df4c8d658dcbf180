// Which elements of a line a resized line is made of, and how much of each.
//
// Pillow's filters and normalisation (13.0, src/libImaging/Resample.c), in double
// and without fused multiply-adds. Along one axis, from the part [begin, end) of
// `in_size` elements to `out_size`:
//
//   scale   = (double)(end - begin) / out_size          the difference in float
//   stretch = max(scale, 1), support = filter's support * stretch
//   center  = begin + (x + 0.5) * scale                 of output element x
//   first   = max((int)(center - support + 0.5), 0)
//   last    = min((int)(center + support + 0.5), in_size)
//   w[i]    = filter((i + first - center + 0.5) * (1 / stretch)), i < last - first
//   w[i]   /= w[0] + w[1] + ...                          unless the sum is 0
#pragma once

#include <cstdint>
#include <vector>

namespace kwker::image {

// Numbered as PIL.Image.Resampling numbers them.
enum class Filter {
  kLanczos = 1,
  kBilinear = 2,
  kBicubic = 3,
  kBox = 4,
  kHamming = 5,
  kMks2013 = 6,
  kMks2021 = 7,
};

struct Taps {
  int out_size = 0;
  int stride = 0;          // entries of `weights` for one output element
  std::vector<int> first;  // by output element; never falls
  std::vector<int> count;  // how many of its weights are in use, the others are 0
  std::vector<double> weights;

  const double* Weights(int x) const {
    return weights.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(stride);
  }
};

// What the weights are for. As kFixedPoint they may differ from Pillow's in the last
// digits of the double, yet FixedPoint() makes the same of them: sines are the most
// expensive part of a small resize, and mostly known well enough without a library.
enum class Precision { kDouble, kFixedPoint };

Taps MakeTaps(Filter filter, int in_size, float begin, float end, int out_size,
              Precision precision);

// A weight for bytes: 22 fractional bits, rounded half away from zero.
inline std::int32_t FixedPoint(double weight) {
  constexpr double kOne = 1 << 22;
  return static_cast<std::int32_t>(weight < 0 ? weight * kOne - 0.5 : weight * kOne + 0.5);
}

}  // namespace kwker::image

// Resizing images of one number a pixel as Pillow 13 does, to the bit: the modes F,
// I and I;16. Passes and geometry as in resize.h, with the weights of resize_taps.h
// in double:
//
//   sum = ((0 + in[first] * k[0]) + in[first + 1] * k[1]) + ...    no fused multiply-adds
//   out = (float)sum                                               float
//         sum rounded half away from zero                          int32
//         the same, clipped to 0 ... 65535                         uint16
//
// What the first pass makes is float, int32 or uint16 again. The order of a sum is
// fixed, so vectors go across output elements only.
#pragma once

#include <cstdint>

#include "kernels/base/isa.h"
#include "kernels/image/resize.h"

namespace kwker::image {

// As ResizeBytes, for T = float, std::int32_t or std::uint16_t. Sums beyond int32
// become its lowest value, as the processor's conversion has it.
template <typename T>
void ResizeNumbers(const ResizeGeometry& geometry, const T* const* in, T* out, Isa isa);

}  // namespace kwker::image

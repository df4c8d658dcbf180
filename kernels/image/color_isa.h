// What color_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/image/color.h"

namespace kwker::image::internal {

// Pixels that a pass takes at a time: their floats stay in the first cache.
inline constexpr int kBlock = 512;

// At most kBlock pixels, one behind the other.
struct ColorBlock {
  const std::uint8_t* in;
  std::int64_t in_pixel, in_channel;
  std::uint8_t* out;
  std::int64_t out_pixel, out_channel;
  int n;
  std::span<const ColorOp> ops;
  float mean;
  Gray gray;
  float* plane;
  std::uint8_t* bytes;
};

// Returns the sum of the gray.
std::int64_t ColorSse2(const ColorBlock& block);
std::int64_t ColorAvx2(const ColorBlock& block);
std::int64_t ColorAvx512(const ColorBlock& block);

}  // namespace kwker::image::internal

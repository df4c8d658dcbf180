// What float_color_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

namespace kwker::image::internal {

// Pixels of one row, at most kFloatBlock; steps in elements.
struct FloatBlock {
  const float* in;
  std::int64_t in_pixel, in_channel;
  float* out;
  std::int64_t out_pixel, out_channel;
  int n;
  float factor, rest;
};

inline constexpr int kFloatBlock = 512;

bool FloatHueSse2(const FloatBlock& block);
bool FloatHueAvx2(const FloatBlock& block);
bool FloatHueAvx512(const FloatBlock& block);

void FloatSaturationSse2(const FloatBlock& block);
void FloatSaturationAvx2(const FloatBlock& block);
void FloatSaturationAvx512(const FloatBlock& block);

void FloatSolarizeSse2(const float* in, float* out, std::int64_t n, float threshold);
void FloatSolarizeAvx2(const float* in, float* out, std::int64_t n, float threshold);
void FloatSolarizeAvx512(const float* in, float* out, std::int64_t n, float threshold);

}  // namespace kwker::image::internal

// What sharpen_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

namespace kwker::image::internal {

// One row of `n` elements between two others; the first and the last `step` are the border.
template <typename T>
struct SharpenRow {
  const T *above, *row, *below;
  T* out;
  std::int64_t n, step;
  float factor, rest;
  bool pillow;
};

void SharpenBytesSse2(const SharpenRow<std::uint8_t>& row);
void SharpenBytesAvx2(const SharpenRow<std::uint8_t>& row);
void SharpenBytesAvx512(const SharpenRow<std::uint8_t>& row);
void SharpenFloatsSse2(const SharpenRow<float>& row);
void SharpenFloatsAvx2(const SharpenRow<float>& row);
void SharpenFloatsAvx512(const SharpenRow<float>& row);

// Only clamps.
void ClampSse2(const float* in, float* out, std::int64_t n);
void ClampAvx2(const float* in, float* out, std::int64_t n);
void ClampAvx512(const float* in, float* out, std::int64_t n);

}  // namespace kwker::image::internal

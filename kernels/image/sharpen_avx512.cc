#include "kernels/base/vec_avx512.h"
//
#include "kernels/image/pixels_avx512.h"
//
#include "kernels/image/sharpen-inl.h"

namespace kwker::image::internal {

void SharpenBytesAvx512(const SharpenRow<std::uint8_t>& row) { RunBytes(row); }
void SharpenFloatsAvx512(const SharpenRow<float>& row) { RunFloats(row); }
void ClampAvx512(const float* in, float* out, std::int64_t n) { ClampRow(in, out, n); }

}  // namespace kwker::image::internal

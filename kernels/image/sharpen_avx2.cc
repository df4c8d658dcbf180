#include "kernels/base/vec_avx2.h"
//
#include "kernels/image/pixels_avx2.h"
//
#include "kernels/image/sharpen-inl.h"

namespace kwker::image::internal {

void SharpenBytesAvx2(const SharpenRow<std::uint8_t>& row) { RunBytes(row); }
void SharpenFloatsAvx2(const SharpenRow<float>& row) { RunFloats(row); }
void ClampAvx2(const float* in, float* out, std::int64_t n) { ClampRow(in, out, n); }

}  // namespace kwker::image::internal

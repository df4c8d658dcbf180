#include "kernels/base/vec_sse2.h"
//
#include "kernels/image/pixels_sse2.h"
//
#include "kernels/image/sharpen-inl.h"

namespace kwker::image::internal {

void SharpenBytesSse2(const SharpenRow<std::uint8_t>& row) { RunBytes(row); }
void SharpenFloatsSse2(const SharpenRow<float>& row) { RunFloats(row); }
void ClampSse2(const float* in, float* out, std::int64_t n) { ClampRow(in, out, n); }

}  // namespace kwker::image::internal

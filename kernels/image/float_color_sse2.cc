#include "kernels/base/vec_sse2.h"
//
#include "kernels/image/pixels_sse2.h"
//
#include "kernels/image/float_color-inl.h"

namespace kwker::image::internal {

bool FloatHueSse2(const FloatBlock& block) { return HueBlock(block); }
void FloatSaturationSse2(const FloatBlock& block) { SaturationBlock(block); }
void FloatSolarizeSse2(const float* in, float* out, std::int64_t n, float threshold) {
  SolarizeRun(in, out, n, threshold);
}

}  // namespace kwker::image::internal

#include "kernels/base/vec_avx2.h"
//
#include "kernels/image/pixels_avx2.h"
//
#include "kernels/image/float_color-inl.h"

namespace kwker::image::internal {

bool FloatHueAvx2(const FloatBlock& block) { return HueBlock(block); }
void FloatSaturationAvx2(const FloatBlock& block) { SaturationBlock(block); }
void FloatSolarizeAvx2(const float* in, float* out, std::int64_t n, float threshold) {
  SolarizeRun(in, out, n, threshold);
}

}  // namespace kwker::image::internal

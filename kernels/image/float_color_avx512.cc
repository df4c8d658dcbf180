#include "kernels/base/vec_avx512.h"
//
#include "kernels/image/pixels_avx512.h"
//
#include "kernels/image/float_color-inl.h"

namespace kwker::image::internal {

bool FloatHueAvx512(const FloatBlock& block) { return HueBlock(block); }
void FloatSaturationAvx512(const FloatBlock& block) { SaturationBlock(block); }
void FloatSolarizeAvx512(const float* in, float* out, std::int64_t n, float threshold) {
  SolarizeRun(in, out, n, threshold);
}

}  // namespace kwker::image::internal

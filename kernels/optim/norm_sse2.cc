#include "kernels/base/vec_sse2.h"
//
#include "kernels/optim/norm-inl.h"

namespace kwker::optim::internal {

float NormSse2(const float* data, std::int64_t numel, std::int64_t block) {
  return NormOf<F32>(data, numel, block);
}

void ScaleSse2(float* data, std::int64_t begin, std::int64_t end, float factor) {
  ScaleRange<F32>(data, begin, end, factor);
}

}  // namespace kwker::optim::internal

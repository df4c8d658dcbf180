#include "kernels/base/vec_avx2.h"
//
#include "kernels/optim/norm-inl.h"

namespace kwker::optim::internal {

float NormAvx2(const float* data, std::int64_t numel, std::int64_t block) {
  return NormOf<F32>(data, numel, block);
}

void ScaleAvx2(float* data, std::int64_t begin, std::int64_t end, float factor) {
  ScaleRange<F32>(data, begin, end, factor);
}

}  // namespace kwker::optim::internal

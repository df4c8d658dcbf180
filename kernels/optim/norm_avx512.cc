#include "kernels/base/vec_avx512.h"
//
#include "kernels/optim/norm-inl.h"

namespace kwker::optim::internal {

float NormAvx512(const float* data, std::int64_t numel, std::int64_t block) {
  return NormOf<F32>(data, numel, block);
}

void ScaleAvx512(float* data, std::int64_t begin, std::int64_t end, float factor) {
  ScaleRange<F32>(data, begin, end, factor);
}

}  // namespace kwker::optim::internal

#include "kernels/base/vec_avx512.h"
//
#include "kernels/optim/norm-inl.h"

namespace kwker::optim::internal {

void ScaleAvx512(float* data, std::int64_t begin, std::int64_t end, float factor) {
  ScaleRange<F32>(data, begin, end, factor);
}

}  // namespace kwker::optim::internal

#include "kernels/base/vec_avx512.h"
//
#include "kernels/base/divide-inl.h"
#include "kernels/base/divide_isa.h"

namespace kwker::internal {

bool DivideAvx512(std::int64_t n, const float* a, float d, float* quotients) {
  return DivideBlock<F32>(n, a, d, quotients);
}

bool DivideAvx512(std::int64_t n, const double* a, double d, double* quotients) {
  return DivideBlock<F64>(n, a, d, quotients);
}

}  // namespace kwker::internal

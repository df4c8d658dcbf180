#include "kernels/base/vec_sse2.h"
//
#include "kernels/base/sqrt-inl.h"
#include "kernels/base/sqrt_isa.h"

namespace kwker::internal {

void SqrtSse2(const SqrtChoice<float>& choice, std::int64_t n, const float* x, float* y) {
  SqrtRange<F32>(choice, n, x, y);
}

void SqrtSse2(const SqrtChoice<double>& choice, std::int64_t n, const double* x, double* y) {
  SqrtRange<F64>(choice, n, x, y);
}

}  // namespace kwker::internal

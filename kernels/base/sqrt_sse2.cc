#include "kernels/base/vec_sse2.h"
//
#include "kernels/base/sqrt-inl.h"
#include "kernels/base/sqrt_isa.h"

namespace kwker::internal {

void SqrtIeeeSse2(std::int64_t n, const float* x, float* y, LibrarySqrt<float> library) {
  SqrtRange<F32, SqrtForm::kIeee>(n, x, y, library);
}

void SqrtIeeeSse2(std::int64_t n, const double* x, double* y, LibrarySqrt<double> library) {
  SqrtRange<F64, SqrtForm::kIeee>(n, x, y, library);
}

}  // namespace kwker::internal

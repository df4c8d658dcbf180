#include "kernels/base/vec_avx2.h"
//
#include "kernels/optim/sgd-inl.h"

namespace kwker::optim::internal {

void SgdAvx2(const SgdTensor<float>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<float>& s) {
  SgdAnyKind<F32>(t, begin, end, s);
}

void SgdAvx2(const SgdTensor<double>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<double>& s) {
  SgdAnyKind<F64>(t, begin, end, s);
}

}  // namespace kwker::optim::internal

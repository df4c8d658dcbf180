#include "kernels/base/vec_sse2.h"
//
#include "kernels/optim/sgd-inl.h"

namespace kwker::optim::internal {

void SgdSse2(const SgdTensor<float>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<float>& s) {
  SgdAnyKind<F32>(t, begin, end, s);
}

void SgdSse2(const SgdTensor<double>& t, std::int64_t begin, std::int64_t end,
             const SgdScalars<double>& s) {
  SgdAnyKind<F64>(t, begin, end, s);
}

}  // namespace kwker::optim::internal

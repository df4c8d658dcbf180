#include "kernels/base/vec_sse2.h"
//
#include "kernels/optim/adam-inl.h"

namespace kwker::optim::internal {

void AdamSse2(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<float>& s, const SqrtChoice<float>& sqrt) {
  AdamAnyForm<F32>(t, begin, end, s, sqrt);
}

void AdamSse2(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end,
              const AdamScalars<double>& s, const SqrtChoice<double>& sqrt) {
  AdamAnyForm<F64>(t, begin, end, s, sqrt);
}

}  // namespace kwker::optim::internal

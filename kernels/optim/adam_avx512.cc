#include "kernels/base/vec_avx512.h"
//
#include "kernels/optim/adam-inl.h"

namespace kwker::optim::internal {

void AdamAvx512(const AdamTensor<float>& t, std::int64_t begin, std::int64_t end, bool in_rest,
                const AdamScalars<float>& s, const SqrtChoice<float>& sqrt) {
  AdamAnyKind<F32>(t, begin, end, in_rest, s, sqrt);
}

void AdamAvx512(const AdamTensor<double>& t, std::int64_t begin, std::int64_t end, bool in_rest,
                const AdamScalars<double>& s, const SqrtChoice<double>& sqrt) {
  AdamAnyKind<F64>(t, begin, end, in_rest, s, sqrt);
}

}  // namespace kwker::optim::internal

#include "kernels/base/vec_avx512.h"
//
#include "kernels/optim/traffic-inl.h"

namespace kwker::optim::internal {

void TrafficAvx512(const TrafficTensor& t, std::int64_t begin, std::int64_t end) {
  TrafficAnyNumber<F32>(t, begin, end);
}

}  // namespace kwker::optim::internal

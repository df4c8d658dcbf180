#include "kernels/base/vec_sse2.h"
//
#include "kernels/optim/traffic-inl.h"

namespace kwker::optim::internal {

void TrafficSse2(const TrafficTensor& t, std::int64_t begin, std::int64_t end) {
  TrafficAnyNumber<F32>(t, begin, end);
}

}  // namespace kwker::optim::internal

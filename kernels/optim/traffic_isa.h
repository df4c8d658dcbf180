// What traffic_<isa>.cc define: declarations only, as such files must share no code.
#pragma once

#include <cstdint>

#include "kernels/optim/traffic.h"

namespace kwker::optim::internal {

// Elements [begin, end) of one tensor.
void TrafficSse2(const TrafficTensor& t, std::int64_t begin, std::int64_t end);
void TrafficAvx2(const TrafficTensor& t, std::int64_t begin, std::int64_t end);
void TrafficAvx512(const TrafficTensor& t, std::int64_t begin, std::int64_t end);

}  // namespace kwker::optim::internal

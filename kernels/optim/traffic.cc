#include "kernels/optim/traffic.h"

#include "kernels/base/by_isa.h"
#include "kernels/base/partition.h"
#include "kernels/optim/traffic_isa.h"

namespace kwker::optim {
namespace {

constexpr std::int64_t kGrain = 24576;  // as adam.cc

}  // namespace

void Traffic(std::span<const TrafficTensor> tensors, Isa isa, const ParallelFor& parallel_for) {
  ForEachRange(tensors, kGrain, parallel_for,
               ByIsa(isa, internal::TrafficSse2, internal::TrafficAvx2, internal::TrafficAvx512));
}

}  // namespace kwker::optim

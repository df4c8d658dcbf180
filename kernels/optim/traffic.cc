#include "kernels/optim/traffic.h"

#include "kernels/base/partition.h"
#include "kernels/optim/traffic_isa.h"

namespace kwker::optim {
namespace {

constexpr std::int64_t kGrain = 24576;  // as adam.cc

using RangeFunction = void (*)(const TrafficTensor&, std::int64_t, std::int64_t);

RangeFunction Choose(Isa isa) {
  switch (isa) {
    case Isa::kAvx512:
      return internal::TrafficAvx512;
    case Isa::kAvx2:
      return internal::TrafficAvx2;
    case Isa::kDefault:
      break;
  }
  return internal::TrafficSse2;
}

}  // namespace

void Traffic(std::span<const TrafficTensor> tensors, Isa isa, const ParallelFor& parallel_for) {
  ForEachRange(tensors, kGrain, parallel_for, Choose(isa));
}

}  // namespace kwker::optim

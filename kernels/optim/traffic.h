// The traffic of an optimizer's step without its arithmetic: how fast this machine
// can read and write the same arrays. Benchmarks set kernels against it.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::optim {

// The arrays of one parameter, `numel` elements of 4 bytes each; float64 counts
// twice. `updated` are read and written, with the same bits; null where there are
// fewer than four, and then the later ones too. `gradient` is read only.
struct TrafficTensor {
  std::uint32_t* updated[4];
  const std::uint32_t* gradient;
  std::int64_t numel;
};

// One pass over all of them, split among threads as the kernels split.
void Traffic(std::span<const TrafficTensor> tensors, Isa isa, const ParallelFor& parallel_for);

}  // namespace kwker::optim

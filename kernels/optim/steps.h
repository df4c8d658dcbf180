// One step of an optimizer over any number of tensors, in a single pass.
//
// NAME.h defines, for each optimizer, NameTensor: the arrays of one parameter with
// what depends on its step; NameScalars: what all parameters of a group share, each
// the double of the formula rounded once to T; and the formula. Arrays have `numel`
// elements each, contiguous, no two of them overlapping; `grad` alone may be shared
// between parameters. `torch_threads` is the number of threads of torch's own loops where
// signs of zero depend on their ends (kernels/base/loop_ends.h), else 0.
#pragma once

#include <span>

#include "kernels/base/isa.h"
#include "kernels/base/parallel_for.h"

namespace kwker::optim {

// For every NameTensor<float or double> and its NameScalars.
template <class Tensor, class Scalars>
void Step(std::span<const Tensor> tensors, const Scalars& scalars, Isa isa,
          const ParallelFor& parallel_for);

}  // namespace kwker::optim

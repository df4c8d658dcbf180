// The traffic of an optimizer's step, for benchmarks.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

// Reads `grads` and writes back every tensor of the lists in `updated`, bits
// unchanged: as fast as this machine can do what a step over them must.
//   grads: float32 or float64 tensors; updated: up to four lists of as many tensors,
//   of the same dtypes and sizes.
// Throws std::invalid_argument for tensors that no kernel would take.
void OptimTraffic(const pybind11::list& grads, const std::vector<pybind11::list>& updated);

}  // namespace kwker::pyext

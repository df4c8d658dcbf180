// Which of torch's averaging functions an AveragedModel has.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstdint>

#include "kernels/optim/average.h"
#include "pyext/arguments.h"

namespace kwker::pyext {

class AveragingRule {
 public:
  // The functions as Python objects, None for none; one of them is looked at, as
  // update_parameters() does. Throws FallBack where that is not torch's.
  AveragingRule(PyObject* avg_fn, PyObject* multi_avg_fn);

  // The kernel's scalars for the next average after `averaged` others.
  template <typename T>
  optim::AverageScalars<T> Scalars(std::int64_t averaged) const;

  // What torch's function makes of integers.
  at::Tensor OfIntegers(const at::Tensor& average, const at::Tensor& model,
                        const at::Tensor& n_averaged) const;

  // Whether that is defined at all: torch's own error is torch's to raise.
  bool TakesIntegers() const { return rule_ != optim::AverageRule::kLerp || !counts_; }

  // See SetAveraging.
  static void SetFunctions(const pybind11::object& without_gradients,
                           const pybind11::dict& averaging);

 private:
  optim::AverageRule rule_ = optim::AverageRule::kRunning;
  bool counts_ = true;  // the weight depends on how many have been averaged
  Number decay_ = {};   // if not
};

}  // namespace kwker::pyext

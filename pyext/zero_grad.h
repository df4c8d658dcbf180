// zero_grad() of optimizers and modules, without Python's loop over the parameters.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

void BindZeroGrad(pybind11::module_& m);

}  // namespace kwker::pyext

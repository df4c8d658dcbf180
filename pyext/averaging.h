// torch.optim.swa_utils.AveragedModel.update_parameters in one pass.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include "pyext/hook.h"

namespace kwker::pyext {

// Tells the entry what it stands for: the namespace of torch.optim.swa_utils and objects in it
// that must be there; nn.Module.__getattr__; the code of what torch.no_grad makes of a function;
// and the code of the functions that torch's get_..._avg_fn() make, by the names of those.
void SetAveraging(pybind11::dict module, const pybind11::dict& functions,
                  const pybind11::object& get_attribute, const pybind11::object& without_gradients,
                  const pybind11::dict& averaging);

void BindAveraging(pybind11::module_& m);

}  // namespace kwker::pyext

// torch.nn.utils.get_total_norm and clip_grads_with_norm_, and so clip_grad_norm_, in one
// pass each.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

void BindClipGrad(pybind11::module_& m);

}  // namespace kwker::pyext

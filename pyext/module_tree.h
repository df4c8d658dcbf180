// The parameters and buffers of a torch.nn.Module and its submodules, in the order in
// which its own methods list them, without running those.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/utils/pybind.h>

#include <vector>

#include "pyext/optim_common.h"

namespace kwker::pyext {

// Tells what a module's methods must be: nn.Module's own, by name. Kept for ever.
void SetModuleMethods(const pybind11::dict& methods);

class ModuleTree {
 public:
  // `module` must outlive this. Throws FallBack where the module or one below lists its
  // members in a way of its own.
  explicit ModuleTree(PyObject* module);

  // What parameters() and buffers() give: each tensor once. Throws FallBack where one is
  // not exactly a torch.Tensor or torch.nn.Parameter.
  std::vector<at::Tensor> Parameters() const;
  std::vector<at::Tensor> Buffers() const;

 private:
  void Add(PyObject* module, int depth);
  std::vector<at::Tensor> Members(PyObject* name) const;

  std::vector<PyObject*> modules_;  // borrowed: nothing here lets other code run
};

// The dict of an object's own attributes, borrowed. Throws FallBack where it has none, or
// where its class does not look attributes up as object does.
PyObject* AttributesOf(PyObject* object, Reason otherwise = Reason::kModule);

// An entry of such a dict, borrowed; null where it is missing. Throws FallBack where the
// class has an attribute of this name.
PyObject* OwnAttribute(PyObject* object, PyObject* name, Reason otherwise = Reason::kModule);

// A member of an exact dict; throws FallBack where that is none or has none of that name.
PyObject* MemberOf(PyObject* dict, PyObject* name);

}  // namespace kwker::pyext

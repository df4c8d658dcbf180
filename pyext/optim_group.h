// A group of parameters as an optimizer hands it to its _init_group().
#pragma once

#include <torch/csrc/utils/pybind.h>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"

namespace kwker::pyext {

// Strings for look-ups in dictionaries, made once.
inline PyObject* Interned(const char* text) { return PyUnicode_InternFromString(text); }

// Reads what torch's Python loop over the group would read, without running any
// Python code. Whatever is out of the ordinary ends in FallBack: then the loop
// runs, and its lists are looked at instead.
class OptimGroup {
 public:
  // `optimizer` and `group` must outlive this.
  OptimGroup(PyObject* optimizer, PyObject* group);

  // An option, borrowed. Throws where it is missing.
  PyObject* operator[](PyObject* name) const;

  // What torch's step() gives its functional form under this name (an interned string),
  // borrowed; null for what says that some of the tensors are complex or sparse.
  PyObject* Argument(PyObject* name) const;

  // An attribute of the optimizer itself, null where it has none. Throws where its
  // class has something to say about that.
  pybind11::object Attribute(PyObject* name) const;

  // How many parameters there are, with and without gradients.
  std::size_t size() const { return static_cast<std::size_t>(PyTuple_GET_SIZE(params_.ptr())); }

  // The tensor of a parameter, and its gradient, which may be undefined; neither of a
  // subclass.
  static const at::Tensor& Exact(PyObject* object);
  static const at::Tensor& Gradient(const at::Tensor& param);

  // visit(param, its tensor, its gradient, its state: a dict or null) for each
  // parameter that has a gradient.
  template <typename Visit>
  void ForEachGradient(const Visit& visit) const {
    for (std::size_t i = 0; i < size(); ++i) {
      PyObject* param = PyTuple_GET_ITEM(params_.ptr(), static_cast<Py_ssize_t>(i));
      const at::Tensor& tensor = Exact(param);
      const at::Tensor& grad = Gradient(tensor);
      if (grad.defined()) visit(param, tensor, grad, State(param));
    }
  }

 private:
  PyObject* State(PyObject* param) const;

  PyObject* optimizer_;
  PyObject* group_;
  pybind11::object params_;  // a tuple, that stays when the list changes
  pybind11::object state_;
};

// Appends a parameter's tensor of this name to `list`. Throws where there is none.
void AppendState(PyObject* state, PyObject* name, TensorList* list);

// Whether a call is _init_group(optimizer, group, lists to fill...).
inline bool IsInitGroup(const Call& call, Py_ssize_t lists) {
  if (call.positional != 2 + lists || call.keyword_names != nullptr) return false;
  for (Py_ssize_t i = 2; i < call.positional; ++i) {
    if (!IsEmptyList(call.args[i])) return false;
  }
  return true;
}

}  // namespace kwker::pyext

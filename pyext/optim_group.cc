#include "pyext/optim_group.h"

#include <c10/core/impl/PyObjectSlot.h>

#include "pyext/python_tensor.h"
#include "pyext/tensor_check.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

bool IsStateDict(PyObject* object) {
  static PyTypeObject* const default_dict = [] {
    py::object type = py::module_::import("collections").attr("defaultdict");
    return reinterpret_cast<PyTypeObject*>(type.release().ptr());
  }();
  return PyDict_CheckExact(object) || Py_TYPE(object) == default_dict;
}

// A borrowed reference, null if the key is missing.
PyObject* Get(PyObject* dict, PyObject* name) {
  PyObject* value = PyDict_GetItemWithError(dict, name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

}  // namespace

OptimGroup::OptimGroup(PyObject* optimizer, PyObject* group)
    : optimizer_(optimizer), group_(group) {
  static PyObject* const params_name = Interned("params");
  static PyObject* const state_name = Interned("state");
  Require(PyDict_CheckExact(group), Reason::kArguments);
  PyObject* params = Get(group, params_name);
  Require(params != nullptr && PyList_CheckExact(params), Reason::kArguments);
  params_ = py::reinterpret_steal<py::object>(PyList_AsTuple(params));
  if (!params_) throw py::error_already_set();
  state_ = Attribute(state_name);
  Require(state_ && IsStateDict(state_.ptr()), Reason::kArguments);
}

PyObject* OptimGroup::operator[](PyObject* name) const {
  PyObject* value = Get(group_, name);
  Require(value != nullptr, Reason::kArguments);
  return value;
}

PyObject* OptimGroup::Argument(PyObject* name) const {
  struct OfPair {
    PyObject *name, *pair;
    Py_ssize_t place;
  };
  static const OfPair of_pairs[] = {
      {Interned("beta1"), Interned("betas"), 0},
      {Interned("beta2"), Interned("betas"), 1},
      {Interned("etaminus"), Interned("etas"), 0},
      {Interned("etaplus"), Interned("etas"), 1},
      {Interned("step_size_min"), Interned("step_sizes"), 0},
      {Interned("step_size_max"), Interned("step_sizes"), 1},
  };
  static PyObject* const of_tensors[] = {Interned("has_complex"), Interned("has_sparse_grad")};
  static PyObject* const of_optimizer[] = {Interned("grad_scale"), Interned("found_inf")};
  for (PyObject* known : of_tensors) {
    if (name == known) return nullptr;
  }
  for (PyObject* known : of_optimizer) {
    if (name != known) continue;
    const py::object value = Attribute(name);
    Require(!value || value.is_none(), Reason::kGradScaling);
    return nullptr;
  }
  for (const OfPair& known : of_pairs) {
    if (name != known.name) continue;
    PyObject* pair = (*this)[known.pair];
    Require(PyTuple_CheckExact(pair) && PyTuple_GET_SIZE(pair) == 2, Reason::kArguments);
    return PyTuple_GET_ITEM(pair, known.place);
  }
  return (*this)[name];
}

py::object OptimGroup::Attribute(PyObject* name) const {
  // Python code of a subclass must run as often as torch runs it, and when.
  PyTypeObject* type = Py_TYPE(optimizer_);
  Require(type->tp_getattro == &PyObject_GenericGetAttr && _PyType_Lookup(type, name) == nullptr,
          Reason::kSubclass);
  PyObject* value = nullptr;
  if (_PyObject_LookupAttr(optimizer_, name, &value) < 0) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(value);
}

const at::Tensor& OptimGroup::Exact(PyObject* object) {
  Reason reason = Reason::kNone;
  const at::Tensor* tensor = ExactTensor(object, &reason);
  Require(reason);
  return *tensor;
}

const at::Tensor& OptimGroup::Gradient(const at::Tensor& param) {
  // Asking a tensor within a graph for its gradient warns: torch's loop shall.
  Require(param.is_leaf(), Reason::kArguments);
  const at::Tensor& grad = param.unsafeGetTensorImpl()->grad();
  if (grad.defined()) {
    // One that Python has never seen is no subclass.
    const PyObject* seen = grad.unsafeGetTensorImpl()->pyobj_slot()->load_pyobj();
    Require(seen == nullptr || IsExactTensorType(Py_TYPE(seen)), Reason::kSubclass);
  }
  return grad;
}

PyObject* OptimGroup::State(PyObject* param) const {
  // The hash of a tensor is its id; asking for it would run torch's __hash__,
  // which is written in Python. Were it another, nothing would be found here.
  const auto hash = static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(param));
  PyObject* state = _PyDict_GetItem_KnownHash(state_.ptr(), param, hash);
  if (state == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return state != nullptr && PyDict_CheckExact(state) ? state : nullptr;
}

void AppendState(PyObject* state, PyObject* name, TensorList* list) {
  Require(state != nullptr, Reason::kArguments);
  PyObject* item = Get(state, name);
  Require(item != nullptr, Reason::kArguments);
  Reason reason = Reason::kNone;
  const at::Tensor* tensor = ExactTensor(item, &reason);
  Require(reason);
  list->Append(item, *tensor);
}

}  // namespace kwker::pyext

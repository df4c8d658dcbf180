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

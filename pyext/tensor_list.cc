#include "pyext/tensor_list.h"

#include "pyext/python_tensor.h"
#include "pyext/tensor_check.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

// torch.distributed.tensor.DTensor, once the program has imported it.
PyTypeObject* DTensorType() {
  static PyTypeObject* type = nullptr;
  if (type != nullptr) return type;
  PyObject* module =
      PyDict_GetItemString(PyImport_GetModuleDict(), "torch.distributed.tensor");  // borrowed
  if (module == nullptr) return nullptr;
  PyObject* found = PyObject_GetAttrString(module, "DTensor");
  if (found == nullptr || !PyType_Check(found)) {
    PyErr_Clear();
    Py_XDECREF(found);
    return nullptr;
  }
  type = reinterpret_cast<PyTypeObject*>(found);
  return type;
}

py::object Attribute(PyObject* object, const char* name) {
  return py::reinterpret_borrow<py::object>(object).attr(name);
}

bool IsPartial(PyObject* spec) {
  for (const py::handle placement : Attribute(spec, "placements")) {
    if (placement.attr("is_partial")().cast<bool>()) return true;
  }
  return false;
}

}  // namespace

Reason TensorList::Fill(PyObject* list, bool or_none) {
  if (list == nullptr || !PyList_CheckExact(list)) return Reason::kArguments;
  const auto items = py::reinterpret_steal<py::object>(PyList_AsTuple(list));
  if (!items) throw py::error_already_set();
  holders_.push_back(items);
  const Py_ssize_t count = PyTuple_GET_SIZE(items.ptr());
  tensors_.reserve(static_cast<std::size_t>(count));
  outers_.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Reason reason = Add(PyTuple_GET_ITEM(items.ptr(), i), or_none);
    if (reason != Reason::kNone) return reason;
  }
  return Reason::kNone;
}

void TensorList::Reserve(std::size_t size) {
  tensors_.reserve(size);
  outers_.reserve(size);
}

void TensorList::Append(PyObject* item, const at::Tensor& tensor) {
  holders_.reserve(tensors_.capacity());
  holders_.push_back(py::reinterpret_borrow<py::object>(item));
  tensors_.push_back(&tensor);
  outers_.push_back(&tensor);
}

void TensorList::Append(const at::Tensor& tensor) {
  held_.reserve(tensors_.capacity());  // so that none ever moves
  held_.push_back(tensor);
  tensors_.push_back(&held_.back());
  outers_.push_back(&held_.back());
}

Reason TensorList::Add(PyObject* item, bool or_none) {
  Reason reason = Reason::kNone;
  const at::Tensor* tensor = nullptr;
  py::object spec;
  if (Py_TYPE(item) == DTensorType()) {
    py::object shard = Attribute(item, "_local_tensor");
    tensor = ExactTensor(shard.ptr(), &reason);
    holders_.push_back(std::move(shard));
    spec = Attribute(item, "_spec");
    outers_.push_back(&UnpackTensor(item));
  } else {
    if (!or_none || item != Py_None) tensor = ExactTensor(item, &reason);
    outers_.push_back(tensor);
  }
  tensors_.push_back(tensor);
  if (spec || !specs_.empty()) {
    specs_.resize(tensors_.size());
    specs_.back() = std::move(spec);
  }
  return reason;
}

Reason TensorList::CheckPlacement(const TensorList& other) const {
  if (!HasDTensors() && !other.HasDTensors()) return Reason::kNone;
  for (std::size_t i = 0; i < size(); ++i) {
    PyObject *ours = Spec(i), *theirs = other.Spec(i);
    if (ours == nullptr && theirs == nullptr) continue;
    if (ours == nullptr || theirs == nullptr) return Reason::kPlacement;
    if (ours != theirs && (!Attribute(ours, "placements").equal(Attribute(theirs, "placements")) ||
                           !Attribute(ours, "mesh").equal(Attribute(theirs, "mesh")))) {
      return Reason::kPlacement;
    }
    if (IsPartial(ours)) return Reason::kPlacement;
  }
  return Reason::kNone;
}

}  // namespace kwker::pyext

#include "pyext/module_tree.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "pyext/optim_group.h"
#include "pyext/tensor_check.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

std::vector<std::pair<PyObject*, PyObject*>>& Methods() {
  static std::vector<std::pair<PyObject*, PyObject*>> methods;
  return methods;
}

// A borrowed reference, null if the key is missing.
PyObject* Get(PyObject* dict, PyObject* name) {
  PyObject* value = PyDict_GetItemWithError(dict, name);
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

PyObject* Name(int which) {
  static PyObject* const names[] = {Interned("_parameters"), Interned("_buffers"),
                                    Interned("_modules")};
  return names[which];
}

// Python gives a class a new version whenever it or one of its bases changes, and never
// the same to two.
bool HasVersion(PyTypeObject* type) {
  return PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG) != 0;
}

// Whether modules of this class list their members as nn.Module does.
bool IsOrdinary(PyTypeObject* type) {
  static std::unordered_set<unsigned>& ordinary = *new std::unordered_set<unsigned>;
  if (HasVersion(type) && ordinary.count(type->tp_version_tag) != 0) return true;
  if (Methods().empty()) return false;
  for (const auto& [name, method] : Methods()) {
    if (_PyType_Lookup(type, name) != method) return false;
  }
  for (int which = 0; which < 3; ++which) {
    if (_PyType_Lookup(type, Name(which)) != nullptr) return false;
  }
  // Modules are told apart by their hashes.
  if (type->tp_hash != PyBaseObject_Type.tp_hash) return false;
  if (HasVersion(type)) ordinary.insert(type->tp_version_tag);
  return true;
}

template <typename Key>
void RemoveRepeated(std::vector<Key>& items, const auto& identity) {
  std::vector<const void*> seen;
  seen.reserve(items.size());
  for (const Key& item : items) seen.push_back(identity(item));
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) == seen.end()) return;
  std::unordered_set<const void*> before;
  const auto end = std::remove_if(items.begin(), items.end(), [&](const Key& item) {
    return !before.insert(identity(item)).second;
  });
  items.erase(end, items.end());
}

}  // namespace

void SetModuleMethods(const py::dict& methods) {
  Methods().clear();
  for (const auto& [name, method] : methods) {
    Methods().emplace_back(name.inc_ref().ptr(), method.inc_ref().ptr());
  }
}

PyObject* AttributesOf(PyObject* object, Reason otherwise) {
  static PyObject* const name = Interned("__getattribute__");
  static PyObject* const plain = _PyType_Lookup(&PyBaseObject_Type, name);
  Require(_PyType_Lookup(Py_TYPE(object), name) == plain, otherwise);
  PyObject** dict = _PyObject_GetDictPtr(object);
  Require(dict != nullptr && *dict != nullptr && PyDict_CheckExact(*dict), otherwise);
  return *dict;
}

PyObject* OwnAttribute(PyObject* object, PyObject* name, Reason otherwise) {
  Require(_PyType_Lookup(Py_TYPE(object), name) == nullptr, otherwise);
  return Get(AttributesOf(object, otherwise), name);
}

PyObject* MemberOf(PyObject* dict, PyObject* name) {
  Require(dict != nullptr && PyDict_CheckExact(dict), Reason::kModule);
  PyObject* member = Get(dict, name);
  Require(member != nullptr, Reason::kModule);
  return member;
}

ModuleTree::ModuleTree(PyObject* module) {
  Add(module, 0);
  // A module that comes again is passed over with all that is below it, which has come by
  // then or comes with the first.
  RemoveRepeated(modules_, [](PyObject* m) { return m; });
}

void ModuleTree::Add(PyObject* module, int depth) {
  Require(IsOrdinary(Py_TYPE(module)), Reason::kModule);
  PyObject* attributes = AttributesOf(module);
  for (const auto& [name, method] : Methods()) {
    Require(Get(attributes, name) == nullptr, Reason::kModule);
  }
  // What is deeper or larger may be a cycle, or come back to the same modules again and
  // again: Python's own walk has a memory for that.
  constexpr int kDeepest = 200;
  constexpr std::size_t kMost = 100'000;
  Require(depth < kDeepest && modules_.size() < kMost, Reason::kModule);
  modules_.push_back(module);
  PyObject* below = Get(attributes, Name(2));
  Require(below != nullptr && PyDict_CheckExact(below), Reason::kModule);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; PyDict_Next(below, &i, &key, &value) != 0;) {
    if (value != Py_None) Add(value, depth + 1);
  }
}

std::vector<at::Tensor> ModuleTree::Members(PyObject* name) const {
  std::vector<at::Tensor> members;
  for (PyObject* module : modules_) {
    PyObject* dict = Get(AttributesOf(module), name);
    Require(dict != nullptr && PyDict_CheckExact(dict), Reason::kModule);
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t i = 0; PyDict_Next(dict, &i, &key, &value) != 0;) {
      if (value == Py_None) continue;
      Reason reason = Reason::kNone;
      const at::Tensor* tensor = ExactTensor(value, &reason);
      Require(reason);
      members.push_back(*tensor);
    }
  }
  RemoveRepeated(members, [](const at::Tensor& t) { return t.unsafeGetTensorImpl(); });
  return members;
}

std::vector<at::Tensor> ModuleTree::Parameters() const { return Members(Name(0)); }

std::vector<at::Tensor> ModuleTree::Buffers() const { return Members(Name(1)); }

}  // namespace kwker::pyext

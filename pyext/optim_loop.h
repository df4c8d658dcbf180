// The Python functions an entry stands for, and whether they are still in place.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <utility>
#include <vector>

namespace kwker::pyext {

// Names in a module, and the objects that must be found there: a step is served
// only while nobody has replaced what torch's code would have called. Kept for
// ever: the references are not given back at the end of the process.
class Loop {
 public:
  // `functions`: from names to objects.
  void Set(pybind11::dict module, const pybind11::dict& functions) {
    module_ = module.release().ptr();
    functions_.clear();
    for (const auto& [name, function] : functions) {
      functions_.emplace_back(name.inc_ref().ptr(), function.inc_ref().ptr());
    }
  }

  bool IsInPlace() const {
    if (module_ == nullptr) return false;
    for (const auto& [name, function] : functions_) {
      if (PyDict_GetItem(module_, name) != function) return false;
    }
    return true;
  }

 private:
  PyObject* module_ = nullptr;
  std::vector<std::pair<PyObject*, PyObject*>> functions_;
};

}  // namespace kwker::pyext

// The Python loop an entry stands for, and whether it is still in its place.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

// A name in a module, and the object that must be found there. Kept for ever:
// the references are not given back at the end of the process.
class Loop {
 public:
  explicit Loop(const char* name) : name_(name) {}

  void Set(pybind11::dict module, pybind11::object loop) {
    module_ = module.release().ptr();
    loop_ = loop.release().ptr();
  }

  bool IsInPlace() const {
    return module_ != nullptr && PyDict_GetItemString(module_, name_) == loop_;
  }

 private:
  const char* name_;
  PyObject* module_ = nullptr;
  PyObject* loop_ = nullptr;
};

}  // namespace kwker::pyext

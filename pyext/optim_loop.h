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

  // `code`: of the optimizer's step(), which calls _init_group() and hands what
  // that has collected to `function`, found by `name` in the module.
  void SetStep(const pybind11::object& code, const pybind11::str& name,
               const pybind11::object& function) {
    step_code_ = code.inc_ref().ptr();
    function_name_ = name.inc_ref().ptr();
    function_ = function.inc_ref().ptr();
  }

  // Whether torch's own step() is calling, and nobody else will see its lists: an
  // optimizer derived from torch's may use _init_group() for another step.
  bool IsCalledByStep() const {
    PyFrameObject* caller = PyEval_GetFrame();  // borrowed
    if (step_code_ == nullptr || caller == nullptr) return false;
    PyCodeObject* code = PyFrame_GetCode(caller);
    PyObject* globals = PyFrame_GetGlobals(caller);
    const bool same = reinterpret_cast<PyObject*>(code) == step_code_ && globals == module_;
    Py_DECREF(code);
    Py_DECREF(globals);
    return same && PyDict_GetItem(module_, function_name_) == function_ && IsInPlace();
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
  PyObject *step_code_ = nullptr, *function_name_ = nullptr, *function_ = nullptr;
  std::vector<std::pair<PyObject*, PyObject*>> functions_;
};

}  // namespace kwker::pyext

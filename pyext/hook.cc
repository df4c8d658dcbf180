#include "pyext/hook.h"

#include <torch/csrc/Exceptions.h>

namespace kwker::pyext {
namespace {

struct HookState {
  PyObject* original;
  FastPath fast;           // null in an observer
  PyObject* callback;      // null in a hook
  PyMethodDef definition;  // Python keeps a pointer to it
};

constexpr char kCapsuleName[] = "kwker.hook";

HookState* State(PyObject* self) {
  return static_cast<HookState*>(PyCapsule_GetPointer(self, kCapsuleName));
}

PyObject* CallHook(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  HANDLE_TH_ERRORS
  const HookState* state = State(self);
  PyObject* result = nullptr;
  if (state->fast({args, count, names}, &result)) return result;
  return PyObject_Vectorcall(state->original, args, static_cast<std::size_t>(count), names);
  END_HANDLE_TH_ERRORS
}

void CallBack(const HookState* state, PyObject* result, PyObject* const* args, Py_ssize_t count,
              PyObject* names) {
  namespace py = pybind11;
  const auto positional = py::reinterpret_steal<py::object>(PyTuple_New(count));
  const auto keywords = py::reinterpret_steal<py::object>(PyDict_New());
  if (!positional || !keywords) return;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Py_INCREF(args[i]);
    PyTuple_SET_ITEM(positional.ptr(), i, args[i]);
  }
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(keywords.ptr(), PyTuple_GET_ITEM(names, i), args[count + i]) != 0) return;
  }
  Py_XDECREF(PyObject_CallFunctionObjArgs(state->callback, result, positional.ptr(), keywords.ptr(),
                                          nullptr));
}

PyObject* CallObserver(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  HANDLE_TH_ERRORS
  const HookState* state = State(self);
  PyObject* result =
      PyObject_Vectorcall(state->original, args, static_cast<std::size_t>(count), names);
  if (result == nullptr) return nullptr;
  CallBack(state, result, args, count, names);
  PyErr_Clear();
  return result;
  END_HANDLE_TH_ERRORS
}

pybind11::object MakeFunction(HookState* state, const char* name, _PyCFunctionFastWithKeywords f) {
  // By way of void(*)(): the cast that PyMethodDef asks for.
  state->definition = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f)),
                       METH_FASTCALL | METH_KEYWORDS, nullptr};
  namespace py = pybind11;
  const auto self = py::reinterpret_steal<py::object>(PyCapsule_New(state, kCapsuleName, nullptr));
  if (!self) throw py::error_already_set();
  const auto function =
      py::reinterpret_steal<py::object>(PyCFunction_NewEx(&state->definition, self.ptr(), nullptr));
  if (!function) throw py::error_already_set();
  return function;
}

}  // namespace

pybind11::object MakeHook(const char* name, const pybind11::object& original, FastPath fast) {
  return MakeFunction(new HookState{original.inc_ref().ptr(), fast, nullptr, {}}, name, &CallHook);
}

pybind11::object Observe(const pybind11::object& original, const pybind11::object& callback) {
  return MakeFunction(
      new HookState{original.inc_ref().ptr(), nullptr, callback.inc_ref().ptr(), {}}, "observed",
      &CallObserver);
}

}  // namespace kwker::pyext

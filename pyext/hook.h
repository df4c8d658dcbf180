// Functions in C that stand where a function of torch's stood.
//
// They are written in C, not in Python, so that a user's traceback through
// torch's code shows no frame of Kwker's. But for a call, their type and their identity
// they answer as the function they stand for: name, signature, documentation, source, pickling, and
// what torch.jit.script and torch.compile read of it, which so take torch's code.
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace kwker::pyext {

// A call as the interpreter hands it over (vectorcall): positional arguments,
// then the values of the keyword arguments, whose names are in `keyword_names`.
struct Call {
  PyObject* const* args;
  Py_ssize_t positional;
  PyObject* keyword_names;  // a tuple, or null
};

// Takes a call over. Returns false, with nothing changed, where torch's code
// shall run; true when done, with *result a new reference (null: with a Python
// error set).
using FastPath = bool (*)(const Call& call, PyObject** result);

// A function that tries `fast` and calls `original` with the same arguments
// where that declines.
pybind11::object MakeHook(const pybind11::object& original, FastPath fast);

// A function that calls `original` and, when that has returned, callback(result,
// args, kwargs). Errors of the callback are dropped.
pybind11::object Observe(const pybind11::object& original, const pybind11::object& callback);

}  // namespace kwker::pyext

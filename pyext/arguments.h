// Arguments of a call, sorted by a function's signature.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "pyext/hook.h"

namespace kwker::pyext {

// Names of a function's parameters, in order. Only the first `positional` of
// them may be given without a name.
template <std::size_t N>
class Signature {
 public:
  Signature(const std::array<const char*, N>& names, Py_ssize_t positional)
      : positional_(positional) {
    for (std::size_t i = 0; i < N; ++i) names_[i] = PyUnicode_InternFromString(names[i]);
  }

  // Borrowed references; null for a parameter that was not given. Empty if the
  // call does not fit the signature: then Python's own error is torch's to make.
  std::optional<std::array<PyObject*, N>> Sort(const Call& call) const {
    std::array<PyObject*, N> values = {};
    if (call.positional > positional_) return std::nullopt;
    for (Py_ssize_t i = 0; i < call.positional; ++i) values[i] = call.args[i];
    if (call.keyword_names == nullptr) return values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.keyword_names); ++i) {
      const std::size_t at = Find(PyTuple_GET_ITEM(call.keyword_names, i));
      if (at == N || values[at] != nullptr) return std::nullopt;
      values[at] = call.args[call.positional + i];
    }
    return values;
  }

 private:
  std::size_t Find(PyObject* name) const {
    // Names in code are interned, so that this is nearly always enough.
    for (std::size_t i = 0; i < N; ++i) {
      if (names_[i] == name) return i;
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (PyUnicode_Compare(names_[i], name) == 0) return i;
    }
    return N;
  }

  std::array<PyObject*, N> names_;
  Py_ssize_t positional_;
};

// Absent, None and False.
inline bool IsFalse(PyObject* value) {
  return value == nullptr || value == Py_None || value == Py_False;
}

// The double that Python's float arithmetic makes of a hyperparameter. Empty for
// what is not a plain finite number: a tensor, a bool, an int that has no double.
// Subclasses of float (numpy.float64) count, as their arithmetic is the same.
inline std::optional<double> PlainNumber(PyObject* value) {
  if (value == nullptr) return std::nullopt;
  if (PyFloat_Check(value)) {
    const double x = PyFloat_AS_DOUBLE(value);
    return std::isfinite(x) ? std::optional(x) : std::nullopt;
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long x = PyLong_AsLongLongAndOverflow(value, &overflow);
    constexpr long long kExact = 1LL << 53;
    if (overflow == 0 && x > -kExact && x < kExact) return static_cast<double>(x);
  }
  return std::nullopt;
}

}  // namespace kwker::pyext

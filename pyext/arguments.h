// Arguments of a call, sorted by a function's signature.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "pyext/hook.h"

namespace kwker::pyext {

// Names of a function's parameters, in order; "name?" is one with a default. Only
// the first `positional` of them may be given without a name.
template <std::size_t N>
class Signature {
 public:
  Signature(const std::array<std::string_view, N>& names, Py_ssize_t positional)
      : positional_(positional) {
    for (std::size_t i = 0; i < N; ++i) {
      required_[i] = names[i].back() != '?';
      const std::string name(names[i].substr(0, names[i].size() - (required_[i] ? 0 : 1)));
      names_[i] = PyUnicode_InternFromString(name.c_str());
    }
  }

  // Interned strings.
  const std::array<PyObject*, N>& names() const { return names_; }

  // Borrowed references; null for a parameter that was not given. Empty if the
  // call does not fit the signature: then Python's own error is torch's to make.
  std::optional<std::array<PyObject*, N>> Sort(const Call& call) const {
    std::array<PyObject*, N> values = {};
    if (call.positional > positional_) return std::nullopt;
    for (Py_ssize_t i = 0; i < call.positional; ++i) values[i] = call.args[i];
    const Py_ssize_t keywords =
        call.keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(call.keyword_names);
    for (Py_ssize_t i = 0; i < keywords; ++i) {
      const std::size_t at = Find(PyTuple_GET_ITEM(call.keyword_names, i));
      if (at == N || values[at] != nullptr) return std::nullopt;
      values[at] = call.args[call.positional + i];
    }
    for (std::size_t i = 0; i < N; ++i) {
      if (required_[i] && values[i] == nullptr) return std::nullopt;
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
  std::array<bool, N> required_;
  Py_ssize_t positional_;
};

// Absent, None and False.
inline bool IsFalse(PyObject* value) {
  return value == nullptr || value == Py_None || value == Py_False;
}

inline bool IsFlag(PyObject* value) { return value == Py_True || IsFalse(value); }

inline bool IsNone(PyObject* value) { return value == nullptr || value == Py_None; }

// Whether it is a list and empty.
inline bool IsEmptyList(PyObject* value) {
  return value != nullptr && PyList_CheckExact(value) && PyList_GET_SIZE(value) == 0;
}

// A hyperparameter as Python's float arithmetic sees it.
struct Number {
  double value;
  bool is_int;    // products with other ints are exact, and minus zero is zero
  bool is_numpy;  // a numpy.float64, which warns as NumPy is told to
};

// Empty for what is not a plain finite number: a tensor, a bool, a subclass that
// may compute otherwise, an int that has no double of its own.
inline std::optional<Number> PlainNumber(PyObject* value) {
  if (value == nullptr) return std::nullopt;
  const bool is_numpy = std::string_view(Py_TYPE(value)->tp_name) == "numpy.float64";
  if (PyFloat_CheckExact(value) || (is_numpy && PyFloat_Check(value))) {
    const double x = PyFloat_AS_DOUBLE(value);
    return std::isfinite(x) ? std::optional(Number{x, false, is_numpy}) : std::nullopt;
  }
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long x = PyLong_AsLongLongAndOverflow(value, &overflow);
    constexpr long long kExact = 1LL << 53;
    if (overflow == 0 && x > -kExact && x < kExact) {
      return Number{static_cast<double>(x), true, false};
    }
  }
  return std::nullopt;
}

}  // namespace kwker::pyext

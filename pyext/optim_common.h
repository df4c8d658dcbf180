// What the optimizers' entries share.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>

#include "pyext/counters.h"
#include "pyext/hook.h"
#include "pyext/tensor_check.h"
#include "pyext/tensor_list.h"
#include "pyext/torch_state.h"

namespace kwker::pyext {

// The reason that an entry ends with, as an exception: checks are many and
// nested. Costs a microsecond: what programs ask for on purpose, such as
// fused=True, is told by a returned Reason.
struct FallBack {
  Reason reason;
};

inline void Require(bool holds, Reason otherwise) {
  if (!holds) throw FallBack{otherwise};
}
inline void Require(Reason reason) {
  if (reason != Reason::kNone) throw FallBack{reason};
}

// The tensors of a Python list, `size` of them unless that is negative.
inline TensorList Tensors(PyObject* list, Py_ssize_t size = -1, bool or_none = false) {
  TensorList result;
  Require(result.Fill(list, or_none));
  Require(size < 0 || static_cast<Py_ssize_t>(result.size()) == size, Reason::kArguments);
  return result;
}

// A double, rounded once to the dtype of the parameters, as torch rounds a
// Python number. Torch refuses one that the dtype's range does not reach.
template <typename T>
T Rounded(double x) {
  Require(std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max()),
          Reason::kHyperparameter);
  return static_cast<T>(x);
}

inline void BumpVersion(const at::Tensor& tensor, int times) {
  for (int i = 0; i < times; ++i) tensor.unsafeGetTensorImpl()->bump_version();
}

// Runs `kernel` as torch would run an operator: seen by its profiler, without
// the interpreter's lock where that is worth the two switches.
template <typename Kernel>
void RunKernel(Counters& counters, const char* name, std::int64_t elements, const Kernel& kernel) {
  RECORD_FUNCTION(name, c10::ArrayRef<const c10::IValue>{});
  constexpr std::int64_t kWorthUnlocking = 8192;
  const auto start = std::chrono::steady_clock::now();
  if (elements >= kWorthUnlocking) {
    const pybind11::gil_scoped_release unlocked;
    kernel();
  } else {
    kernel();
  }
  const auto duration = std::chrono::steady_clock::now() - start;
  counters.CountCall(elements,
                     std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

// Whether an entry does what it is called for, or only says whether it would.
enum class Mode { kServe, kExplain };

// Why `serve` does not take a call; kNone: it has taken it. It returns the reason
// or throws FallBack, before it has changed anything.
template <typename Serve>
Reason ReasonOf(const Serve& serve) {
  try {
    return serve();
  } catch (const FallBack& fall_back) {
    return fall_back.reason;
  }
}

// The end of an entry: counts a call left to torch, or returns None for torch's
// function.
inline bool Served(Counters& counters, Reason reason, PyObject** result) {
  if (reason != Reason::kNone) {
    counters.CountFallback(reason);
    return false;
  }
  *result = Py_NewRef(Py_None);
  return true;
}

// The end of an explaining entry: the reason's words as a str, "" for kNone.
inline bool Explained(Reason reason, PyObject** result) {
  *result = PyUnicode_FromString(ReasonText(reason));
  return true;
}

}  // namespace kwker::pyext

#include "pyext/averaging_rule.h"

#include <ATen/Functions.h>
#include <c10/core/DefaultDtype.h>

#include <string>
#include <utility>
#include <vector>

#include "pyext/optim_group.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;
using optim::AverageRule;

struct Kind {
  AverageRule rule;
  bool counts;
  bool is_multi;
};

PyObject* wrapper_code = nullptr;
std::vector<std::pair<PyObject*, Kind>>& Kinds() {
  static std::vector<std::pair<PyObject*, Kind>> kinds;
  return kinds;
}

Kind KindOf(const std::string& name) {
  if (name == "get_swa_avg_fn") return {AverageRule::kRunning, true, false};
  if (name == "get_ema_avg_fn") return {AverageRule::kExponential, false, false};
  if (name == "get_swa_multi_avg_fn") return {AverageRule::kLerp, true, true};
  if (name == "get_ema_multi_avg_fn") return {AverageRule::kLerp, false, true};
  throw py::value_error("kwker: no such averaging function: " + name);
}

// What a function's own variable of this name refers to, borrowed.
PyObject* Closure(PyObject* function, const char* name) {
  Require(function != nullptr && PyFunction_Check(function), Reason::kAveraging);
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  PyObject* cells = PyFunction_GET_CLOSURE(function);
  const auto names = py::reinterpret_steal<py::object>(PyCode_GetFreevars(code));
  if (!names) throw py::error_already_set();
  Require(cells != nullptr && PyTuple_GET_SIZE(cells) == PyTuple_GET_SIZE(names.ptr()),
          Reason::kAveraging);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(cells); ++i) {
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names.ptr(), i), name) == 0) {
      return PyCell_GET(PyTuple_GET_ITEM(cells, i));
    }
  }
  throw FallBack{Reason::kAveraging};
}

}  // namespace

void AveragingRule::SetFunctions(const py::object& without_gradients, const py::dict& averaging) {
  wrapper_code = without_gradients.inc_ref().ptr();
  Kinds().clear();
  for (const auto& [name, code] : averaging) {
    Kinds().emplace_back(code.inc_ref().ptr(), KindOf(py::cast<std::string>(name)));
  }
}

AveragingRule::AveragingRule(PyObject* avg_fn, PyObject* multi_avg_fn) {
  const bool is_multi = multi_avg_fn != Py_None;
  PyObject* wrapper = is_multi ? multi_avg_fn : avg_fn;
  if (wrapper == Py_None) return;
  Require(PyFunction_Check(wrapper) && PyFunction_GET_CODE(wrapper) == wrapper_code,
          Reason::kAveraging);
  PyObject* function = Closure(wrapper, "func");
  Require(function != nullptr && PyFunction_Check(function), Reason::kAveraging);
  for (const auto& [code, kind] : Kinds()) {
    if (PyFunction_GET_CODE(function) != code) continue;
    Require(kind.is_multi == is_multi, Reason::kAveraging);
    rule_ = kind.rule;
    counts_ = kind.counts;
    if (!counts_) decay_ = Plain(Closure(function, "decay"));
    return;
  }
  throw FallBack{Reason::kAveraging};
}

template <typename T>
optim::AverageScalars<T> AveragingRule::Scalars(std::int64_t averaged) const {
  optim::AverageScalars<T> scalars = {rule_, T(1), T(1), T(0), 0};
  if (rule_ == AverageRule::kRunning) {
    scalars.count = static_cast<T>(averaged + 1);
    return scalars;
  }
  double weight = 1 - decay_.value;
  if (counts_) {
    // The quotient of two ints is a tensor of torch's default dtype.
    const at::ScalarType dtype = c10::get_default_dtype_as_scalartype();
    Require(dtype == at::kFloat || dtype == at::kDouble, Reason::kDtype);
    weight = dtype == at::kFloat ? 1 / static_cast<float>(averaged + 1)
                                 : 1 / static_cast<double>(averaged + 1);
  }
  scalars.decay = Rounded<T>(decay_.value);
  scalars.weight = Rounded<T>(weight);
  if (rule_ == AverageRule::kLerp) scalars.torch_threads = ThreadsForLerp(scalars.weight);
  return scalars;
}

at::Tensor AveragingRule::OfIntegers(const at::Tensor& average, const at::Tensor& model,
                                     const at::Tensor& n_averaged) const {
  if (counts_) return at::add(average, at::div(at::sub(model, average), at::add(n_averaged, 1)));
  const auto scalar = [this](double x) {
    return decay_.is_int ? at::Scalar(static_cast<std::int64_t>(x)) : at::Scalar(x);
  };
  return at::add(at::mul(average, scalar(decay_.value)), at::mul(model, scalar(1 - decay_.value)));
}

template optim::AverageScalars<float> AveragingRule::Scalars(std::int64_t) const;
template optim::AverageScalars<double> AveragingRule::Scalars(std::int64_t) const;

}  // namespace kwker::pyext

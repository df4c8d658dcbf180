#include "pyext/clip_grad.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/optim/norm.h"
#include "pyext/arguments.h"
#include "pyext/optim_group.h"
#include "pyext/optim_loop.h"
#include "pyext/optim_numbers.h"
#include "pyext/python_tensor.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

Counters counters("optim.clip_grad_norm");
Loop loop;

float TorchNorm(const float* data, std::int64_t numel) {
  const at::Tensor tensor = at::from_blob(const_cast<float*>(data), {numel}, at::kFloat);
  return *at::linalg_vector_norm(tensor).const_data_ptr<float>();
}

// How torch's norm treats the rest of its elements.
std::int64_t NormBlock() {
  static const std::int64_t block = optim::MatchNorm(TorchIsa(), &TorchNorm);
  return block;
}

// The largest that a serial chain in one of torch's loops has.
constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();

void CheckGradient(const at::Tensor& grad) {
  Require(CheckDense(grad));
  Require(grad.scalar_type() == at::kFloat, Reason::kMixedDtypes);
  Require(grad.numel() <= kMostElements, Reason::kOptions);
}

// An exact float, infinite ones too, or an int.
double Plainly(PyObject* value) {
  if (value != nullptr && PyFloat_CheckExact(value) && std::isinf(PyFloat_AS_DOUBLE(value))) {
    return PyFloat_AS_DOUBLE(value);
  }
  return Plain(value).value;
}

float TotalNorm(PyObject* list) {
  const TensorList grads = Tensors(list);
  Require(grads.size() > 0, Reason::kArguments);
  Require(!grads.HasDTensors(), Reason::kSubclass);
  std::vector<optim::NormTensor> tensors;
  tensors.reserve(grads.size());
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < grads.size(); ++i) {
    CheckGradient(*grads[i]);
    elements += grads[i]->numel();
    tensors.push_back({grads[i]->const_data_ptr<float>(), grads[i]->numel()});
  }
  Require(CheckThreads(elements));
  const std::int64_t block = NormBlock();
  Require(block != 0, Reason::kOptions);
  std::vector<float> norms(grads.size());
  float total = 0;
  RunKernel(counters, "kwker::total_norm", elements, [&] {
    optim::Norms(tensors, block, norms.data(), TorchIsa(), TorchThreads());
    const optim::NormTensor all = {norms.data(), static_cast<std::int64_t>(norms.size())};
    optim::Norms({&all, 1}, block, &total, TorchIsa(), Serial());
  });
  return total;
}

bool NormEntry(const Call& call, PyObject** result) {
  static const Signature<4> signature({"tensors", "norm_type?", "error_if_nonfinite?", "foreach?"},
                                      4);
  const auto arguments = signature.Sort(call);
  if (!arguments || !counters.IsOn()) return false;
  const auto& [list, norm_type, error_if_nonfinite, foreach] = *arguments;
  if (IsEmptyList(list)) return false;
  at::Tensor total;
  const Reason reason = ReasonOf([&] {
    Require(loop.IsInPlace(), Reason::kPatched);
    Require(CheckModes());
    Require(IsFlag(error_if_nonfinite) && IsFlag(foreach), Reason::kArguments);
    Require(norm_type == nullptr || Plainly(norm_type) == 2, Reason::kOptions);
    const float norm = TotalNorm(list);
    // torch's error is torch's to raise.
    Require(error_if_nonfinite != Py_True || std::isfinite(norm), Reason::kHyperparameter);
    total = at::empty({}, at::TensorOptions(at::kFloat));
    *total.mutable_data_ptr<float>() = norm;
    return Reason::kNone;
  });
  if (reason != Reason::kNone) {
    counters.CountFallback(reason);
    return false;
  }
  *result = WrapTensor(total);
  return true;
}

// max_norm / (total_norm + 1e-6), which torch computes by the reciprocal, but 1 at most.
float Coefficient(PyObject* max_norm, PyObject* total_norm) {
  const double most = Plainly(max_norm);
  const float numerator = std::isinf(most) ? static_cast<float>(most) : Rounded<float>(most);
  Reason reason = Reason::kNone;
  Require(total_norm != nullptr, Reason::kArguments);
  const at::Tensor* total = ExactTensor(total_norm, &reason);
  Require(reason);
  Require(CheckDense(*total));
  Require(total->dim() == 0, Reason::kTensorHyperparameter);
  Require(total->scalar_type() == at::kFloat, Reason::kMixedDtypes);
  const float inverse = 1.0F / (*total->const_data_ptr<float>() + 1e-6F);
  const float coefficient = inverse * numerator;
  return coefficient > 1 ? 1.0F : coefficient;  // a NaN stays
}

void Clip(PyObject* params, float coefficient) {
  Require(params != nullptr && PyList_CheckExact(params), Reason::kArguments);
  std::vector<at::Tensor> grads;
  std::vector<optim::ScaledTensor> tensors;
  AliasCheck alias;
  std::int64_t elements = 0;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(params); ++i) {
    const at::Tensor& grad = OptimGroup::Gradient(OptimGroup::Exact(PyList_GET_ITEM(params, i)));
    if (!grad.defined()) continue;
    CheckGradient(grad);
    grads.push_back(grad);
    tensors.push_back({grad.mutable_data_ptr<float>(), grad.numel()});
    alias.Write(grad.const_data_ptr(), static_cast<std::int64_t>(grad.nbytes()));
    elements += grad.numel();
  }
  Require(!alias.Overlaps(), Reason::kAliasing);
  Require(CheckThreads(elements));
  // Times one, all is as it was.
  RunKernel(counters, "kwker::clip_grads_with_norm", elements, [&] {
    if (coefficient != 1) optim::Scale(tensors, coefficient, TorchIsa(), TorchThreads());
  });
  for (const at::Tensor& grad : grads) BumpVersion(grad, 1);
}

bool ClipEntry(const Call& call, PyObject** result) {
  static const Signature<4> signature({"parameters", "max_norm", "total_norm", "foreach?"}, 4);
  const auto arguments = signature.Sort(call);
  if (!arguments || !counters.IsOn()) return false;
  const auto& [params, max_norm, total_norm, foreach] = *arguments;
  const Reason reason = ReasonOf([&] {
    Require(loop.IsInPlace(), Reason::kPatched);
    Require(CheckModes());
    Require(IsFlag(foreach), Reason::kArguments);
    Clip(params, Coefficient(max_norm, total_norm));
    return Reason::kNone;
  });
  return Served(counters, reason, result);
}

}  // namespace

void BindClipGrad(py::module_& m) {
  m.attr("clip_grad_norm_counters") = py::cast(&counters, py::return_value_policy::reference);
  m.def("set_clip_grad",
        [](py::dict module, const py::dict& functions) { loop.Set(std::move(module), functions); });
  m.def("total_norm_hook",
        [](const py::object& original) { return MakeHook(original, &NormEntry); });
  m.def("clip_grads_hook",
        [](const py::object& original) { return MakeHook(original, &ClipEntry); });
}

}  // namespace kwker::pyext

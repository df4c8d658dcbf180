#include <ATen/ops/empty_strided.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>

#include "kernels/optim/sgd.h"
#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_common.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {

Counters sgd_counters("optim.sgd");

namespace {

Loop loop;

enum Parameter {
  kParams,
  kGrads,
  kMomentumBuffers,
  kHasSparseGrad,
  kForeach,
  kFused,
  kGradScale,
  kFoundInf,
  kWeightDecay,
  kMomentum,
  kLr,
  kDampening,
  kNesterov,
  kMaximize,
  kParameterCount,
};

using Arguments = std::array<PyObject*, kParameterCount>;

const Signature<kParameterCount>& SgdSignature() {
  static const Signature<kParameterCount> signature(
      {"params", "d_p_list", "momentum_buffer_list", "has_sparse_grad?", "foreach?", "fused?",
       "grad_scale?", "found_inf?", "weight_decay", "momentum", "lr", "dampening", "nesterov",
       "maximize"},
      kWeightDecay);
  return signature;
}

// The hyperparameters as Python's doubles.
struct Hyperparameters {
  double weight_decay, momentum, lr_neg, dampening;
  bool nesterov, maximize;
};

void CheckFlags(const Arguments& a) {
  Require(loop.IsInPlace(), Reason::kPatched);
  Require(IsFalse(a[kForeach]), Reason::kForeach);
  Require(IsFalse(a[kFused]), Reason::kFused);
  Require(IsFalse(a[kHasSparseGrad]), Reason::kSparse);
  const auto is_none = [](PyObject* value) { return value == nullptr || value == Py_None; };
  Require(is_none(a[kGradScale]) && is_none(a[kFoundInf]), Reason::kGradScaling);
}

Hyperparameters GetHyperparameters(const Arguments& a) {
  const auto number = [&a](Parameter parameter) {
    const std::optional<Number> x = PlainNumber(a[parameter]);
    Require(x.has_value(), Reason::kTensorHyperparameter);
    return *x;
  };
  const Number lr = number(kLr);
  const Hyperparameters h = {
      number(kWeightDecay).value, number(kMomentum).value, lr.is_int ? 0.0 - lr.value : -lr.value,
      number(kDampening).value,   a[kNesterov] == Py_True, a[kMaximize] == Py_True};
  Require(h.nesterov || IsFalse(a[kNesterov]), Reason::kArguments);
  Require(h.maximize || IsFalse(a[kMaximize]), Reason::kArguments);
  return h;
}

template <typename T>
optim::SgdScalars<T> Scalars(const Hyperparameters& h) {
  return {Rounded<T>(h.lr_neg),
          Rounded<T>(h.weight_decay),
          Rounded<T>(h.momentum),
          Rounded<T>(1 - h.dampening),
          h.weight_decay != 0,
          h.nesterov,
          h.maximize};
}

struct Lists {
  TensorList params, grads;
  TensorList momentum_buffers;  // null: to be made; empty list: no momentum
};

// Whether every stride is what torch gives a new contiguous tensor. Of others,
// the result of an operator may have other strides in dimensions of size 1.
bool HasUsualStrides(const at::Tensor& tensor) {
  std::int64_t expected = 1;
  for (std::int64_t i = tensor.dim() - 1; i >= 0; --i) {
    if (tensor.stride(i) != expected) return false;
    expected *= std::max<std::int64_t>(tensor.size(i), 1);
  }
  return true;
}

// Checks everything and makes the kernel's list; changes nothing. `made` gets
// the new momentum buffers, undefined where there is one already.
template <typename T>
std::vector<optim::SgdTensor<T>> Prepare(const Lists& lists, const Hyperparameters& h,
                                         std::vector<at::Tensor>* made) {
  std::vector<optim::SgdTensor<T>> tensors;
  tensors.reserve(lists.params.size());
  AliasCheck alias;
  for (std::size_t i = 0; i < lists.params.size(); ++i) {
    const at::Tensor &p = *lists.params[i], &g = *lists.grads[i];
    Require(CheckDense(p));
    Require(CheckDense(g));
    Require(CheckSameLayout(p, g));
    Require(p.scalar_type() == lists.params[0]->scalar_type(), Reason::kMixedDtypes);
    const auto bytes = static_cast<std::int64_t>(p.nbytes());
    alias.Write(p.const_data_ptr(), bytes);
    alias.Read(g.const_data_ptr(), bytes);
    tensors.push_back({p.mutable_data_ptr<T>(), g.const_data_ptr<T>(), nullptr, p.numel(), false});
    if (h.momentum == 0) continue;

    const at::Tensor* buffer = lists.momentum_buffers[i];
    tensors.back().first_step = buffer == nullptr;
    if (buffer == nullptr) {
      // torch clones the gradient, or what maximize and weight decay made of it.
      Require((!h.maximize && h.weight_decay == 0) || (HasUsualStrides(p) && HasUsualStrides(g)),
              Reason::kLayout);
      continue;
    }
    Require(CheckDense(*buffer));
    Require(CheckSameLayout(p, *buffer));
    alias.Write(buffer->const_data_ptr(), bytes);
    tensors.back().momentum_buffer = buffer->mutable_data_ptr<T>();
  }
  Require(!alias.Overlaps(), Reason::kAliasing);

  // Nothing can be declined any more, so memory may be asked for.
  made->resize(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].first_step) continue;
    const at::Tensor& g = *lists.grads[i];
    (*made)[i] = at::empty_strided(g.sizes(), g.strides(), g.options());
    tensors[i].momentum_buffer = (*made)[i].mutable_data_ptr<T>();
  }
  return tensors;
}

template <typename T>
void Step(const Lists& lists, const Hyperparameters& h, PyObject* buffer_list, Mode mode) {
  const optim::SgdScalars<T> scalars = Scalars<T>(h);
  std::vector<at::Tensor> made;
  const std::vector<optim::SgdTensor<T>> tensors = Prepare<T>(lists, h, &made);

  std::int64_t elements = 0;
  for (const auto& tensor : tensors) elements += tensor.numel;
  Require(CheckThreads(elements));
  if (mode == Mode::kExplain) return;
  RunKernel(sgd_counters, "kwker::sgd", elements,
            [&] { optim::Sgd<T>(tensors, scalars, TorchIsa(), TorchThreads()); });

  // As many in-place operators as torch's loop runs on each.
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    BumpVersion(lists.params.Outer(i), 1);
    if (made[i].defined()) {
      // Fails with IndexError if the list has been shortened meanwhile, as torch's loop does.
      const int failed =
          PyList_SetItem(buffer_list, static_cast<Py_ssize_t>(i), THPVariable_Wrap(made[i]));
      if (failed != 0) throw pybind11::error_already_set();
    } else if (h.momentum != 0) {
      BumpVersion(lists.momentum_buffers.Outer(i), 2);
    }
  }
}

void Serve(const Arguments& a, Mode mode) {
  CheckFlags(a);
  Require(CheckThread());
  const Hyperparameters h = GetHyperparameters(a);
  Lists lists;
  lists.params = Tensors(a[kParams]);
  const auto size = static_cast<Py_ssize_t>(lists.params.size());
  Require(size > 0, Reason::kArguments);
  lists.grads = Tensors(a[kGrads], size);
  if (h.momentum != 0) {
    lists.momentum_buffers = Tensors(a[kMomentumBuffers], size, /*or_none=*/true);
  }
  Require(lists.params.CheckPlacement(lists.grads));
  // Also declines the step that makes a DTensor's buffer: torch's code makes it.
  if (h.momentum != 0) Require(lists.params.CheckPlacement(lists.momentum_buffers));
  Require(CheckDense(*lists.params[0]));
  if (lists.params[0]->scalar_type() == at::kFloat) {
    Step<float>(lists, h, a[kMomentumBuffers], mode);
  } else {
    Step<double>(lists, h, a[kMomentumBuffers], mode);
  }
}

}  // namespace

void SetSgdLoop(pybind11::dict module, const pybind11::dict& functions) {
  loop.Set(std::move(module), functions);
}

bool SgdEntry(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = SgdSignature().Sort(call);
  if (!arguments || !sgd_counters.enabled) return false;
  const Reason reason = ReasonOf([&] { Serve(*arguments, Mode::kServe); });
  return Served(sgd_counters, reason, result);
}

bool SgdExplain(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = SgdSignature().Sort(call);
  if (!arguments) return Explained(Reason::kArguments, result);
  return Explained(ReasonOf([&] { Serve(*arguments, Mode::kExplain); }), result);
}

}  // namespace kwker::pyext

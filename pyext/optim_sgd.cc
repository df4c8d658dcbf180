#include <ATen/EmptyTensor.h>

#include <algorithm>
#include <vector>

#include "kernels/optim/sgd.h"
#include "pyext/arguments.h"
#include "pyext/optim_entry.h"
#include "pyext/python_tensor.h"

namespace kwker::pyext {
namespace {

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

using Options = std::array<PyObject*, kParameterCount>;  // borrowed, null where not given

// Item i of each belongs to parameter i.
struct Lists {
  TensorList params, grads;
  TensorList momentum_buffers;  // null: to be made; empty list: no momentum
};

// The hyperparameters as Python's doubles.
struct Hyperparameters {
  double weight_decay, momentum, lr_neg, dampening;
  bool nesterov, maximize;
};

double PlainValue(PyObject* value) {
  const std::optional<Number> x = PlainNumber(value);
  Require(x.has_value(), Reason::kTensorHyperparameter);
  return x->value;
}

Hyperparameters GetHyperparameters(const Options& o) {
  const double lr = PlainValue(o[kLr]);
  return {PlainValue(o[kWeightDecay]),
          PlainValue(o[kMomentum]),
          PyLong_CheckExact(o[kLr]) ? 0.0 - lr : -lr,
          PlainValue(o[kDampening]),
          o[kNesterov] == Py_True,
          o[kMaximize] == Py_True};
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

// Everything that a step will do. Made by checks that change nothing.
class Plan {
 public:
  Plan(const Lists& lists, const Hyperparameters& h) : lists_(lists), h_(h) {
    for (std::size_t i = 0; i < lists.params.size(); ++i) Add(i);
    Require(!alias_.Overlaps(), Reason::kAliasing);
    if (!floats_.empty()) float_scalars_ = Scalars<float>(h);
    if (!doubles_.empty()) double_scalars_ = Scalars<double>(h);
    Require(CheckThreads(elements_));
  }

  std::int64_t elements() const { return elements_; }

  // Makes the momentum buffers of a first step: undefined in `made` where there
  // is one already.
  void MakeBuffers(std::vector<at::Tensor>* made) {
    made->resize(lists_.params.size());
    std::size_t float_at = 0, double_at = 0;
    for (std::size_t i = 0; i < lists_.params.size(); ++i) {
      if (lists_.params[i]->scalar_type() == at::kFloat) {
        MakeBuffer(&floats_[float_at++], *lists_.grads[i], &(*made)[i]);
      } else {
        MakeBuffer(&doubles_[double_at++], *lists_.grads[i], &(*made)[i]);
      }
    }
  }

  void Run() const {
    RunOn<float>(floats_, float_scalars_);
    RunOn<double>(doubles_, double_scalars_);
  }

 private:
  template <typename T>
  static void RunOn(const std::vector<optim::SgdTensor<T>>& tensors,
                    const optim::SgdScalars<T>& scalars) {
    if (!tensors.empty()) optim::Sgd<T>(tensors, scalars, TorchIsa(), TorchThreads());
  }

  template <typename T>
  static void MakeBuffer(optim::SgdTensor<T>* tensor, const at::Tensor& grad, at::Tensor* made) {
    if (!tensor->first_step) return;
    // Not at::empty_strided: it fills the memory where deterministic algorithms are asked for.
    *made = at::detail::empty_strided_cpu(grad.sizes(), grad.strides(), grad.scalar_type());
    tensor->momentum_buffer = made->mutable_data_ptr<T>();
  }

  void Add(std::size_t i) {
    const at::Tensor &p = *lists_.params[i], &g = *lists_.grads[i];
    Require(CheckDense(p));
    Require(CheckDense(g));
    Require(CheckSameLayout(p, g));
    elements_ += p.numel();
    const auto bytes = static_cast<std::int64_t>(p.nbytes());
    alias_.Write(p.const_data_ptr(), bytes);
    alias_.Read(g.const_data_ptr(), bytes);
    const at::Tensor* buffer = h_.momentum == 0 ? nullptr : lists_.momentum_buffers[i];
    if (buffer != nullptr) {
      Require(CheckDense(*buffer));
      Require(CheckSameLayout(p, *buffer));
      alias_.Write(buffer->const_data_ptr(), bytes);
    } else if (h_.momentum != 0) {
      // torch clones the gradient, or what maximize and weight decay made of it.
      Require((!h_.maximize && h_.weight_decay == 0) || (HasUsualStrides(p) && HasUsualStrides(g)),
              Reason::kLayout);
    }
    if (p.scalar_type() == at::kFloat) {
      Append(&floats_, p, g, buffer);
    } else {
      Append(&doubles_, p, g, buffer);
    }
  }

  template <typename T>
  void Append(std::vector<optim::SgdTensor<T>>* tensors, const at::Tensor& p, const at::Tensor& g,
              const at::Tensor* buffer) const {
    if (tensors->empty()) tensors->reserve(lists_.params.size());
    tensors->push_back({p.mutable_data_ptr<T>(), g.const_data_ptr<T>(),
                        buffer == nullptr ? nullptr : buffer->mutable_data_ptr<T>(), p.numel(),
                        h_.momentum != 0 && buffer == nullptr});
  }

  const Lists& lists_;
  const Hyperparameters& h_;
  std::vector<optim::SgdTensor<float>> floats_;
  std::vector<optim::SgdTensor<double>> doubles_;
  optim::SgdScalars<float> float_scalars_ = {};
  optim::SgdScalars<double> double_scalars_ = {};
  std::int64_t elements_ = 0;
  AliasCheck alias_;
};

// What does not depend on numbers.
Reason CheckOptions(const Options& o) {
  // torch's foreach path has the bits of its loop; the fused one has others.
  if (!IsFalse(o[kFused])) return Reason::kFusedNoFaster;
  if (!IsFalse(o[kHasSparseGrad])) return Reason::kSparse;
  if (!IsNone(o[kGradScale]) || !IsNone(o[kFoundInf])) return Reason::kGradScaling;
  const bool flags = IsFlag(o[kForeach]) && IsFlag(o[kNesterov]) && IsFlag(o[kMaximize]);
  return flags ? CheckThread() : Reason::kArguments;
}

Lists GetLists(const OptimSource& from, const Hyperparameters& h) {
  Lists lists = {from.Take(kParams), from.Take(kGrads), {}};
  Require(lists.grads.size() == lists.params.size(), Reason::kArguments);
  Require(lists.params.CheckPlacement(lists.grads));
  if (h.momentum == 0) return lists;
  // None in a first step of a group: then torch's step() puts what sgd() makes into the state.
  lists.momentum_buffers = from.Take(kMomentumBuffers, /*or_none=*/true);
  Require(lists.momentum_buffers.size() == lists.params.size(), Reason::kArguments);
  // Also declines the step that makes a DTensor's buffer: torch's code makes it.
  Require(lists.params.CheckPlacement(lists.momentum_buffers));
  return lists;
}

struct Sgd {
  static constexpr const char* kName = "sgd";
  static constexpr std::array kState = {"momentum_buffer"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "d_p_list", "momentum_buffer_list", "has_sparse_grad?", "foreach?", "fused?",
         "grad_scale?", "found_inf?", "weight_decay", "momentum", "lr", "dampening", "nesterov",
         "maximize"},
        kWeightDecay);
    return signature;
  }

  static std::vector<Counters*> AllCounters() { return {&counters}; }
  static Counters& GetCounters(const Options&) { return counters; }

  static Reason Serve(const Options& options, const OptimSource& from, Mode mode) {
    const Reason reason = CheckOptions(options);
    if (reason != Reason::kNone) return reason;
    const Hyperparameters h = GetHyperparameters(options);
    // There torch's foreach path adds the momentum to the program's own gradients.
    const bool changes_grads = h.nesterov && h.momentum != 0 && h.weight_decay == 0 && !h.maximize;
    Require(options[kForeach] != Py_True || !changes_grads, Reason::kForeach);
    const Lists lists = GetLists(from, h);
    Plan plan(lists, h);
    if (mode == Mode::kExplain || lists.params.size() == 0) return Reason::kNone;
    std::vector<at::Tensor> made;
    plan.MakeBuffers(&made);
    RunKernel(counters, "kwker::sgd", plan.elements(), [&plan] { plan.Run(); });

    // As many in-place operators as torch's loop runs on each.
    for (std::size_t i = 0; i < lists.params.size(); ++i) {
      BumpVersion(lists.params.Outer(i), 1);
      if (made[i].defined()) {
        // Fails with IndexError if the list has been shortened meanwhile, as torch's loop does.
        const int failed = PyList_SetItem(options[kMomentumBuffers], static_cast<Py_ssize_t>(i),
                                          WrapTensor(made[i]));
        if (failed != 0) throw pybind11::error_already_set();
      } else if (h.momentum != 0) {
        BumpVersion(lists.momentum_buffers.Outer(i), 2);
      }
    }
    return Reason::kNone;
  }

  static inline Counters counters{"optim.sgd"};
};

}  // namespace

OptimEntry SgdEntry() { return EntryOf<Sgd>::Make(); }

}  // namespace kwker::pyext

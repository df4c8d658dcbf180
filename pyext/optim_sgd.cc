#include "pyext/optim_sgd.h"

#include <ATen/EmptyTensor.h>

#include <vector>

#include "kernels/optim/sgd.h"
#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/python_tensor.h"

namespace kwker::pyext {

Counters sgd_counters("optim.sgd");

namespace {

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

Hyperparameters GetHyperparameters(const SgdOptions& o) {
  const double lr = PlainValue(o.lr);
  return {
      PlainValue(o.weight_decay), PlainValue(o.momentum), PyLong_CheckExact(o.lr) ? 0.0 - lr : -lr,
      PlainValue(o.dampening),    o.nesterov == Py_True,  o.maximize == Py_True};
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
  Plan(const SgdLists& lists, const Hyperparameters& h) : lists_(lists), h_(h) {
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

  const SgdLists& lists_;
  const Hyperparameters& h_;
  std::vector<optim::SgdTensor<float>> floats_;
  std::vector<optim::SgdTensor<double>> doubles_;
  optim::SgdScalars<float> float_scalars_ = {};
  optim::SgdScalars<double> double_scalars_ = {};
  std::int64_t elements_ = 0;
  AliasCheck alias_;
};

}  // namespace

Reason CheckSgdOptions(const SgdOptions& o) {
  // torch's foreach path has the bits of its loop; the fused one has others.
  if (!IsFalse(o.fused)) return Reason::kFused;
  if (!IsFalse(o.has_sparse_grad)) return Reason::kSparse;
  if (!IsNone(o.grad_scale) || !IsNone(o.found_inf)) return Reason::kGradScaling;
  const bool flags = IsFlag(o.foreach) && IsFlag(o.nesterov) && IsFlag(o.maximize);
  return flags ? CheckThread() : Reason::kArguments;
}

bool HasMomentum(const SgdOptions& options) { return PlainValue(options.momentum) != 0; }

void ServeSgd(const SgdOptions& options, const SgdLists& lists, PyObject* buffer_list, Mode mode) {
  const Hyperparameters h = GetHyperparameters(options);
  // There torch's foreach path adds the momentum to the program's own gradients.
  const bool changes_grads = h.nesterov && h.momentum != 0 && h.weight_decay == 0 && !h.maximize;
  Require(options.foreach != Py_True || !changes_grads, Reason::kForeach);
  Require(lists.params.CheckPlacement(lists.grads));
  // Also declines the step that makes a DTensor's buffer: torch's code makes it.
  if (h.momentum != 0) Require(lists.params.CheckPlacement(lists.momentum_buffers));
  Plan plan(lists, h);
  if (mode == Mode::kExplain) return;
  std::vector<at::Tensor> made;
  plan.MakeBuffers(&made);
  RunKernel(sgd_counters, "kwker::sgd", plan.elements(), [&plan] { plan.Run(); });

  // As many in-place operators as torch's loop runs on each.
  for (std::size_t i = 0; i < lists.params.size(); ++i) {
    BumpVersion(lists.params.Outer(i), 1);
    if (made[i].defined()) {
      // Fails with IndexError if the list has been shortened meanwhile, as torch's loop does.
      const int failed =
          PyList_SetItem(buffer_list, static_cast<Py_ssize_t>(i), WrapTensor(made[i]));
      if (failed != 0) throw pybind11::error_already_set();
    } else if (h.momentum != 0) {
      BumpVersion(lists.momentum_buffers.Outer(i), 2);
    }
  }
}

}  // namespace kwker::pyext

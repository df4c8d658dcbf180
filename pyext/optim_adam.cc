#include <array>

#include "kernels/optim/adam.h"
#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_common.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {

Counters adam_counters("optim.adam");
Counters adamw_counters("optim.adamw");

namespace {

Loop loop;

enum Parameter {
  kParams,
  kGrads,
  kExpAvgs,
  kExpAvgSqs,
  kMaxExpAvgSqs,
  kStateSteps,
  kForeach,
  kCapturable,
  kDifferentiable,
  kFused,
  kGradScale,
  kFoundInf,
  kHasComplex,
  kDecoupledWeightDecay,
  kAmsgrad,
  kBeta1,
  kBeta2,
  kLr,
  kWeightDecay,
  kEps,
  kMaximize,
  kParameterCount,
};

using Arguments = std::array<PyObject*, kParameterCount>;

const Signature<kParameterCount>& AdamSignature() {
  static const Signature<kParameterCount> signature({"params",          "grads",
                                                     "exp_avgs",        "exp_avg_sqs",
                                                     "max_exp_avg_sqs", "state_steps",
                                                     "foreach?",        "capturable?",
                                                     "differentiable?", "fused?",
                                                     "grad_scale?",     "found_inf?",
                                                     "has_complex?",    "decoupled_weight_decay?",
                                                     "amsgrad",         "beta1",
                                                     "beta2",           "lr",
                                                     "weight_decay",    "eps",
                                                     "maximize"},
                                                    kAmsgrad);
  return signature;
}

// The hyperparameters as Python's doubles.
struct Hyperparameters {
  double beta1, beta2, lr, weight_decay, eps;
  bool maximize, decoupled;
};

void CheckFlags(const Arguments& a) {
  Require(loop.IsInPlace(), Reason::kPatched);
  Require(IsFalse(a[kForeach]), Reason::kForeach);
  Require(IsFalse(a[kFused]), Reason::kFused);
  Require(IsFalse(a[kCapturable]), Reason::kCapturable);
  Require(IsFalse(a[kDifferentiable]), Reason::kDifferentiable);
  Require(IsFalse(a[kAmsgrad]), Reason::kAmsgrad);
  Require(IsFalse(a[kHasComplex]), Reason::kComplex);
  const auto is_none = [](PyObject* value) { return value == nullptr || value == Py_None; };
  Require(is_none(a[kGradScale]) && is_none(a[kFoundInf]), Reason::kGradScaling);
}

Hyperparameters GetHyperparameters(const Arguments& a) {
  // Powers of a subclass of float may be computed by other code than Python's.
  const auto plain = [](PyObject* value) {
    return value != nullptr && (PyFloat_CheckExact(value) || PyLong_CheckExact(value));
  };
  Require(plain(a[kBeta1]) && plain(a[kBeta2]), Reason::kTensorHyperparameter);
  const auto number = [&a](Parameter parameter) {
    const std::optional<Number> x = PlainNumber(a[parameter]);
    Require(x.has_value(), Reason::kTensorHyperparameter);
    return *x;
  };
  const Number lr = number(kLr), weight_decay = number(kWeightDecay), eps = number(kEps);
  const double product = lr.value * weight_decay.value;
  if (lr.is_int && weight_decay.is_int) {
    // Python multiplies them as ints.
    Require(std::abs(product) < 0x1p53, Reason::kHyperparameter);
  }
  if (lr.is_numpy || weight_decay.is_numpy) {
    // NumPy warns of an underflow or overflow, if it is told to.
    const bool exact_zero = lr.value == 0 || weight_decay.value == 0;
    Require(exact_zero || std::isnormal(product), Reason::kHyperparameter);
    Require(lr.value == 0 || (std::abs(lr.value) > 1e-290 && std::abs(lr.value) < 1e290),
            Reason::kHyperparameter);
  }
  const Hyperparameters h = {number(kBeta1).value,
                             number(kBeta2).value,
                             lr.value,
                             weight_decay.value,
                             eps.value,
                             a[kMaximize] == Py_True,
                             a[kDecoupledWeightDecay] == Py_True};
  Require(h.maximize || IsFalse(a[kMaximize]), Reason::kArguments);
  Require(h.decoupled || IsFalse(a[kDecoupledWeightDecay]), Reason::kArguments);
  Require(h.beta1 >= 0 && h.beta1 < 1 && h.beta2 >= 0 && h.beta2 < 1, Reason::kHyperparameter);
  return h;
}

template <typename T>
optim::AdamScalars<T> Scalars(const Hyperparameters& h) {
  using optim::WeightDecay;
  const WeightDecay kind = h.weight_decay == 0 ? WeightDecay::kNone
                           : h.decoupled       ? WeightDecay::kDecoupled
                                               : WeightDecay::kCoupled;
  const optim::AdamScalars<T> scalars = {kind,
                                         Rounded<T>(1 - h.lr * h.weight_decay),
                                         Rounded<T>(h.weight_decay),
                                         Rounded<T>(1 - h.beta1),
                                         Rounded<T>(h.beta2),
                                         Rounded<T>(1 - h.beta2),
                                         Rounded<T>(h.eps),
                                         h.maximize};
  Require(scalars.one_minus_beta1 != T(1), Reason::kBetaZero);
  return scalars;
}

// The value of a step tensor after the increment, in the arithmetic of its dtype.
double NextStep(const at::Tensor& step) {
  if (step.scalar_type() == at::kFloat) return *step.const_data_ptr<float>() + 1.0f;
  return *step.const_data_ptr<double>() + 1.0;
}

void StoreStep(const at::Tensor& step, double value) {
  if (step.scalar_type() == at::kFloat) {
    *step.mutable_data_ptr<float>() = static_cast<float>(value);
  } else {
    *step.mutable_data_ptr<double>() = value;
  }
  BumpVersion(step, 1);
}

// The factors that depend on the step, in doubles, with the pow of the C library
// that Python's ** uses.
struct BiasCorrection {
  double step_size_neg, bias_correction2_sqrt;

  static BiasCorrection Make(const Hyperparameters& h, double step) {
    const double bias_correction1 = 1 - std::pow(h.beta1, step);
    const double bias_correction2 = 1 - std::pow(h.beta2, step);
    // Zero makes Python raise, negative makes it leave the reals.
    Require(bias_correction1 > 0 && bias_correction2 > 0, Reason::kHyperparameter);
    // Read from memory, so that the compiler cannot make a square root of it:
    // pow(x, 0.5) may differ from that.
    static volatile double half = 0.5;
    return {-(h.lr / bias_correction1), std::pow(bias_correction2, half)};
  }
};

struct Lists {
  TensorList params, grads, exp_avgs, exp_avg_sqs, steps;
};

// Checks everything and makes the kernel's list; changes nothing.
template <typename T>
std::vector<optim::AdamTensor<T>> Prepare(const Lists& lists, const Hyperparameters& h,
                                          std::vector<double>* next_steps) {
  std::vector<optim::AdamTensor<T>> tensors;
  tensors.reserve(lists.params.size());
  AliasCheck alias;
  BiasCorrection correction = {};
  double correction_of = -1;
  for (std::size_t i = 0; i < lists.params.size(); ++i) {
    const at::Tensor &p = *lists.params[i], &g = *lists.grads[i], &m = *lists.exp_avgs[i],
                     &v = *lists.exp_avg_sqs[i], &step = *lists.steps[i];
    for (const at::Tensor* tensor : {&p, &g, &m, &v}) Require(CheckDense(*tensor));
    for (const at::Tensor* tensor : {&g, &m, &v}) Require(CheckSameLayout(p, *tensor));
    Require(p.scalar_type() == lists.params[0]->scalar_type(), Reason::kMixedDtypes);
    Require(CheckScalarTensor(step));

    const double next = NextStep(step);
    if (next != correction_of) {
      correction = BiasCorrection::Make(h, next);
      correction_of = next;
    }
    next_steps->push_back(next);
    tensors.push_back({p.mutable_data_ptr<T>(), g.const_data_ptr<T>(), m.mutable_data_ptr<T>(),
                       v.mutable_data_ptr<T>(), p.numel(), Rounded<T>(correction.step_size_neg),
                       Rounded<T>(correction.bias_correction2_sqrt)});

    const auto bytes = static_cast<std::int64_t>(p.nbytes());
    for (const at::Tensor* tensor : {&p, &m, &v}) alias.Write(tensor->const_data_ptr(), bytes);
    alias.Write(step.const_data_ptr(), static_cast<std::int64_t>(step.nbytes()));
    alias.Read(g.const_data_ptr(), bytes);
  }
  Require(!alias.Overlaps(), Reason::kAliasing);
  return tensors;
}

template <typename T>
void Step(Counters& counters, const Lists& lists, const Hyperparameters& h, Mode mode) {
  const optim::AdamScalars<T> scalars = Scalars<T>(h);
  std::vector<double> next_steps;
  const std::vector<optim::AdamTensor<T>> tensors = Prepare<T>(lists, h, &next_steps);
  const SqrtChoice<T> sqrt = TorchSqrt<T>();

  std::int64_t elements = 0;
  for (const auto& tensor : tensors) elements += tensor.numel;
  Require(CheckThreads(elements));
  if (mode == Mode::kExplain) return;
  RunKernel(counters, "kwker::adam", elements,
            [&] { optim::Adam<T>(tensors, scalars, sqrt, TorchIsa(), TorchThreads()); });

  // As many in-place operators as torch's loop runs on each.
  const bool decayed = scalars.weight_decay_kind == optim::WeightDecay::kDecoupled;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    StoreStep(*lists.steps[i], next_steps[i]);
    BumpVersion(lists.params.Outer(i), decayed ? 2 : 1);
    BumpVersion(lists.exp_avgs.Outer(i), 1);
    BumpVersion(lists.exp_avg_sqs.Outer(i), 2);
  }
}

void Serve(Counters& counters, const Arguments& a, Mode mode) {
  CheckFlags(a);
  Require(CheckThread());
  const Hyperparameters h = GetHyperparameters(a);
  Lists lists;
  lists.params = Tensors(a[kParams]);
  const auto size = static_cast<Py_ssize_t>(lists.params.size());
  Require(size > 0, Reason::kArguments);
  lists.grads = Tensors(a[kGrads], size);
  lists.exp_avgs = Tensors(a[kExpAvgs], size);
  lists.exp_avg_sqs = Tensors(a[kExpAvgSqs], size);
  lists.steps = Tensors(a[kStateSteps], size);
  for (const TensorList* list : {&lists.grads, &lists.exp_avgs, &lists.exp_avg_sqs}) {
    Require(lists.params.CheckPlacement(*list));
  }
  Require(!lists.steps.HasDTensors(), Reason::kStep);
  Require(CheckDense(*lists.params[0]));
  if (lists.params[0]->scalar_type() == at::kFloat) {
    Step<float>(counters, lists, h, mode);
  } else {
    Step<double>(counters, lists, h, mode);
  }
}

}  // namespace

void SetAdamLoop(pybind11::dict module, const pybind11::dict& functions) {
  loop.Set(std::move(module), functions);
}

bool AdamEntry(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = AdamSignature().Sort(call);
  if (!arguments) return false;
  const bool decoupled = (*arguments)[kDecoupledWeightDecay] == Py_True;
  Counters& counters = decoupled ? adamw_counters : adam_counters;
  if (!counters.enabled) return false;
  const Reason reason = ReasonOf([&] { Serve(counters, *arguments, Mode::kServe); });
  return Served(counters, reason, result);
}

bool AdamExplain(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = AdamSignature().Sort(call);
  if (!arguments) return Explained(Reason::kArguments, result);
  return Explained(ReasonOf([&] { Serve(adam_counters, *arguments, Mode::kExplain); }), result);
}

}  // namespace kwker::pyext

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/optim/adam.h"
#include "pyext/arguments.h"
#include "pyext/optim_entry.h"

namespace kwker::pyext {
namespace {

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

using Options = std::array<PyObject*, kParameterCount>;  // borrowed, null where not given

// Item i of each belongs to parameter i.
struct Lists {
  TensorList params, grads, exp_avgs, exp_avg_sqs, steps;
  TensorList max_exp_avg_sqs;  // with amsgrad
};

// The hyperparameters as Python's doubles.
struct Hyperparameters {
  double beta1, beta2, lr, weight_decay, eps;
  bool maximize, decoupled, amsgrad;
};

Hyperparameters GetHyperparameters(const Options& o) {
  // Powers of a subclass of float may be computed by other code than Python's.
  const auto plain = [](PyObject* value) {
    return value != nullptr && (PyFloat_CheckExact(value) || PyLong_CheckExact(value));
  };
  Require(plain(o[kBeta1]) && plain(o[kBeta2]), Reason::kTensorHyperparameter);
  const auto number = [](PyObject* value) {
    const std::optional<Number> x = PlainNumber(value);
    Require(x.has_value(), Reason::kTensorHyperparameter);
    return *x;
  };
  const Number lr = number(o[kLr]), weight_decay = number(o[kWeightDecay]), eps = number(o[kEps]);
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
  const Hyperparameters h = {number(o[kBeta1]).value,
                             number(o[kBeta2]).value,
                             lr.value,
                             weight_decay.value,
                             eps.value,
                             o[kMaximize] == Py_True,
                             o[kDecoupledWeightDecay] == Py_True,
                             o[kAmsgrad] == Py_True};
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
                                         h.maximize,
                                         TorchThreads().threads};
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

// Everything that a step will do. Made by checks that change nothing.
class Plan {
 public:
  Plan(const Lists& lists, const Hyperparameters& h) : h_(h) {
    const std::size_t size = lists.params.size();
    next_steps_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) Add(lists, i);
    Require(!alias_.Overlaps(), Reason::kAliasing);
    if (!floats_.empty()) float_scalars_ = Scalars<float>(h);
    if (!doubles_.empty()) double_scalars_ = Scalars<double>(h);
    Require(CheckThreads(elements_));
  }

  std::int64_t elements() const { return elements_; }
  double next_step(std::size_t i) const { return next_steps_[i]; }

  void Run() const {
    RunOn<float>(floats_, float_scalars_);
    RunOn<double>(doubles_, double_scalars_);
  }

 private:
  template <typename T>
  static void RunOn(const std::vector<optim::AdamTensor<T>>& tensors,
                    const optim::AdamScalars<T>& scalars) {
    if (tensors.empty()) return;
    optim::Adam<T>(tensors, scalars, TorchSqrt<T>(), TorchIsa(), TorchThreads());
  }

  void Add(const Lists& lists, std::size_t i) {
    const at::Tensor &p = *lists.params[i], &g = *lists.grads[i], &m = *lists.exp_avgs[i],
                     &v = *lists.exp_avg_sqs[i], &step = *lists.steps[i];
    for (const at::Tensor* tensor : {&p, &g, &m, &v}) Require(CheckDense(*tensor));
    for (const at::Tensor* tensor : {&g, &m, &v}) Require(CheckSameLayout(p, *tensor));
    Require(CheckScalarTensor(step));
    const at::Tensor* x = h_.amsgrad ? lists.max_exp_avg_sqs[i] : nullptr;
    const auto bytes = static_cast<std::int64_t>(p.nbytes());
    if (x != nullptr) {
      Require(CheckDense(*x));
      Require(CheckSameLayout(p, *x));
      alias_.Write(x->const_data_ptr(), bytes);
    }

    const double next = NextStep(step);
    if (next != correction_of_) {
      correction_ = BiasCorrection::Make(h_, next);
      correction_of_ = next;
    }
    next_steps_.push_back(next);
    elements_ += p.numel();
    if (p.scalar_type() == at::kFloat) {
      Append(&floats_, lists.params.size(), p, g, m, v, x);
    } else {
      Append(&doubles_, lists.params.size(), p, g, m, v, x);
    }

    for (const at::Tensor* tensor : {&p, &m, &v}) alias_.Write(tensor->const_data_ptr(), bytes);
    alias_.Write(step.const_data_ptr(), static_cast<std::int64_t>(step.nbytes()));
    alias_.Read(g.const_data_ptr(), bytes);
  }

  template <typename T>
  void Append(std::vector<optim::AdamTensor<T>>* tensors, std::size_t most, const at::Tensor& p,
              const at::Tensor& g, const at::Tensor& m, const at::Tensor& v,
              const at::Tensor* x) const {
    if (tensors->empty()) tensors->reserve(most);
    tensors->push_back({p.mutable_data_ptr<T>(), g.const_data_ptr<T>(), m.mutable_data_ptr<T>(),
                        v.mutable_data_ptr<T>(), p.numel(), Rounded<T>(correction_.step_size_neg),
                        Rounded<T>(correction_.bias_correction2_sqrt),
                        x == nullptr ? nullptr : x->mutable_data_ptr<T>()});
  }

  const Hyperparameters& h_;
  std::vector<optim::AdamTensor<float>> floats_;
  std::vector<optim::AdamTensor<double>> doubles_;
  optim::AdamScalars<float> float_scalars_ = {};
  optim::AdamScalars<double> double_scalars_ = {};
  std::vector<double> next_steps_;
  std::int64_t elements_ = 0;
  AliasCheck alias_;
  BiasCorrection correction_ = {};
  double correction_of_ = std::numeric_limits<double>::quiet_NaN();  // equal to no step
};

// What does not depend on numbers.
Reason CheckOptions(const Options& o) {
  // torch's foreach path has the bits of its loop; the fused one has others.
  if (!IsFalse(o[kFused])) return Reason::kFusedNoFaster;
  if (!IsFalse(o[kCapturable])) return Reason::kCapturable;
  if (!IsFalse(o[kDifferentiable])) return Reason::kDifferentiable;
  if (!IsFalse(o[kHasComplex])) return Reason::kComplex;
  if (!IsNone(o[kGradScale]) || !IsNone(o[kFoundInf])) return Reason::kGradScaling;
  const bool flags = IsFlag(o[kForeach]) && IsFlag(o[kAmsgrad]) && IsFlag(o[kMaximize]) &&
                     IsFlag(o[kDecoupledWeightDecay]);
  return flags ? CheckThread() : Reason::kArguments;
}

Lists GetLists(const OptimSource& from, bool amsgrad) {
  Lists lists;
  lists.params = from.Take(kParams);
  const auto take = [&](Parameter place) {
    TensorList list = from.Take(place);
    Require(list.size() == lists.params.size(), Reason::kArguments);
    return list;
  };
  for (const auto& [list, place] :
       {std::pair{&lists.grads, kGrads}, std::pair{&lists.exp_avgs, kExpAvgs},
        std::pair{&lists.exp_avg_sqs, kExpAvgSqs},
        std::pair{&lists.max_exp_avg_sqs, kMaxExpAvgSqs}}) {
    if (place == kMaxExpAvgSqs && !amsgrad) continue;
    *list = take(place);
    Require(lists.params.CheckPlacement(*list));
  }
  lists.steps = take(kStateSteps);
  Require(!lists.steps.HasDTensors(), Reason::kStep);
  return lists;
}

struct Adam {
  static constexpr const char* kName = "adam";
  static constexpr std::array kState = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"};

  static const Signature<kParameterCount>& GetSignature() {
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

  static std::vector<Counters*> AllCounters() { return {&adam_counters, &adamw_counters}; }

  static Counters& GetCounters(const Options& o) {
    return o[kDecoupledWeightDecay] == Py_True ? adamw_counters : adam_counters;
  }

  static Reason Serve(const Options& options, const OptimSource& from, Mode mode) {
    const Reason reason = CheckOptions(options);
    if (reason != Reason::kNone) return reason;
    const Hyperparameters h = GetHyperparameters(options);
    const Lists lists = GetLists(from, h.amsgrad);
    const Plan plan(lists, h);
    if (mode == Mode::kExplain || lists.params.size() == 0) return Reason::kNone;
    RunKernel(GetCounters(options), "kwker::adam", plan.elements(), [&plan] { plan.Run(); });

    // As many in-place operators as torch's loop runs on each.
    const bool decayed = h.decoupled && h.weight_decay != 0;
    for (std::size_t i = 0; i < lists.params.size(); ++i) {
      StoreStep(*lists.steps[i], plan.next_step(i));
      BumpVersion(lists.params.Outer(i), decayed ? 2 : 1);
      BumpVersion(lists.exp_avgs.Outer(i), 1);
      BumpVersion(lists.exp_avg_sqs.Outer(i), 2);
      if (h.amsgrad) BumpVersion(lists.max_exp_avg_sqs.Outer(i), 1);
    }
    return Reason::kNone;
  }

  static inline Counters adam_counters{"optim.adam"}, adamw_counters{"optim.adamw"};
};

}  // namespace

OptimEntry AdamEntry() { return EntryOf<Adam>::Make(); }

}  // namespace kwker::pyext

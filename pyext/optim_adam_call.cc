// torch.optim.adam.adam(): a group's step from lists of tensors.
#include <array>

#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_adam.h"
#include "pyext/optim_group.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {
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

AdamOptions Options(const Arguments& a) {
  return {.foreach = a[kForeach],
          .fused = a[kFused],
          .capturable = a[kCapturable],
          .differentiable = a[kDifferentiable],
          .grad_scale = a[kGradScale],
          .found_inf = a[kFoundInf],
          .has_complex = a[kHasComplex],
          .decoupled_weight_decay = a[kDecoupledWeightDecay],
          .amsgrad = a[kAmsgrad],
          .maximize = a[kMaximize],
          .beta1 = a[kBeta1],
          .beta2 = a[kBeta2],
          .lr = a[kLr],
          .weight_decay = a[kWeightDecay],
          .eps = a[kEps]};
}

// Not kNone: why torch's code must take the call.
Reason Serve(Counters& counters, const Arguments& a, Mode mode) {
  if (!loop.IsInPlace()) return Reason::kPatched;
  const AdamOptions options = Options(a);
  const Reason reason = CheckAdamOptions(options);
  if (reason != Reason::kNone) return reason;
  // No gradients, or _init_group() has done the step: torch's function does nothing.
  if (IsEmptyList(a[kParams]) && IsEmptyList(a[kStateSteps])) return Reason::kNone;
  return ReasonOf([&] {
    AdamLists lists;
    lists.params = Tensors(a[kParams]);
    const auto size = static_cast<Py_ssize_t>(lists.params.size());
    lists.grads = Tensors(a[kGrads], size);
    lists.exp_avgs = Tensors(a[kExpAvgs], size);
    lists.exp_avg_sqs = Tensors(a[kExpAvgSqs], size);
    if (options.amsgrad == Py_True) lists.max_exp_avg_sqs = Tensors(a[kMaxExpAvgSqs], size);
    lists.steps = Tensors(a[kStateSteps], size);
    ServeAdam(counters, options, lists, mode);
    return Reason::kNone;
  });
}

}  // namespace

void SetAdamLoop(pybind11::dict module, const pybind11::dict& functions) {
  loop.Set(std::move(module), functions);
}

void SetAdamStep(const pybind11::object& code, const pybind11::str& name,
                 const pybind11::object& function) {
  loop.SetStep(code, name, function);
}

const Loop& AdamLoop() { return loop; }

bool AdamEntry(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = AdamSignature().Sort(call);
  if (!arguments) return false;
  Counters& counters = AdamCounters((*arguments)[kDecoupledWeightDecay]);
  if (!counters.IsOn()) return false;
  return Served(counters, Serve(counters, *arguments, Mode::kServe), result);
}

bool AdamExplain(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = AdamSignature().Sort(call);
  const Reason reason =
      arguments ? Serve(adam_counters, *arguments, Mode::kExplain) : Reason::kArguments;
  return Explained(reason, result);
}

}  // namespace kwker::pyext

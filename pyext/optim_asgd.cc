#include <ATen/Context.h>
#include <c10/core/DefaultDtype.h>

#include <algorithm>

#include "kernels/optim/asgd.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kAverages,
  kMus,
  kEtas,
  kStateSteps,
  kForeach,
  kMaximize,
  kDifferentiable,
  kCapturable,
  kHasComplex,
  kLambd,
  kLr,
  kT0,
  kAlpha,
  kWeightDecay,
  kParameterCount,
};

// torch makes a tensor of its default dtype of a new eta or mu, and copies that.
double AsNewTensor(double x) {
  Require(std::isfinite(x), Reason::kHyperparameter);
  const at::ScalarType dtype = c10::get_default_dtype_as_scalartype();
  Require(dtype == at::kFloat || dtype == at::kDouble, Reason::kDtype);
  return dtype == at::kFloat ? Rounded<float>(x) : x;
}

struct Asgd {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "asgd";
  static constexpr const char* kFeature = "optim.asgd";
  static constexpr std::array kState = {"ax", "mu", "eta", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "axs", "mus", "etas", "state_steps", "foreach?", "maximize?",
         "differentiable?", "capturable?", "has_complex?", "lambd", "lr", "t0", "alpha",
         "weight_decay"},
        kLambd);
    return signature;
  }

  enum Numbers { kMu, kEta, kStep };

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFalse(a[kForeach]), Reason::kForeachAsked);
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kAverages), 1);
    lists.AddNumbers(from.Take(kMus));
    lists.AddNumbers(from.Take(kEtas));
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double weight_decay = PlainOrNumpy(a[kWeightDecay]).value;
    const double lambd = Plain(a[kLambd]).value, lr = Plain(a[kLr]).value;
    const double t0 = Plain(a[kT0]).value, alpha = Plain(a[kAlpha]).value;
    const optim::AsgdScalars<T> scalars = {
        {Flag(a[kMaximize]), weight_decay != 0, Rounded<T>(weight_decay)}};

    std::vector<optim::AsgdTensor<T>> tensors;
    double step_of = std::numeric_limits<double>::quiet_NaN();
    double new_eta = 0, new_mu = 0;  // of that step, in doubles, in Python's order
    for (const auto& arrays : lists.GetArrays<T>()) {
      const std::size_t i = tensors.size();
      const double eta = lists.Number(kEta, i), mu = lists.Number(kMu, i);
      const double step = lists.CountStep(kStep, i);
      if (step != step_of) {
        const double base = 1 + lambd * lr * step;
        const double divisor = Power(base, alpha);
        Require(base > 0 && divisor != 0, Reason::kHyperparameter);
        new_eta = AsNewTensor(lr / divisor);
        new_mu = AsNewTensor(1 / std::max(1.0, step - t0));
        step_of = step;
      }
      lists.SetNumber(kEta, i, new_eta);
      lists.SetNumber(kMu, i, new_mu);
      tensors.push_back({arrays.param, arrays.grad, arrays.states[0], arrays.numel,
                         Rounded<T>(1 - lambd * eta), Rounded<T>(-eta), mu != 1, Rounded<T>(mu)});
    }
    lists.Run("kwker::asgd", counters, mode, tensors, scalars, 2);
  }
};

}  // namespace

OptimEntry AsgdEntry() { return EntryOf<RuleOf<Asgd>>::Make(); }

}  // namespace kwker::pyext

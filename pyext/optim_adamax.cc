#include "kernels/optim/adamax.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kExpAvgs,
  kExpInfs,
  kStateSteps,
  kForeach,
  kMaximize,
  kDifferentiable,
  kCapturable,
  kHasComplex,
  kEps,
  kBeta1,
  kBeta2,
  kLr,
  kWeightDecay,
  kParameterCount,
};

struct Adamax {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "adamax";
  static constexpr const char* kFeature = "optim.adamax";
  static constexpr std::array kState = {"exp_avg", "exp_inf", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "exp_avgs", "exp_infs", "state_steps", "foreach?", "maximize?",
         "differentiable?", "capturable?", "has_complex?", "eps", "beta1", "beta2", "lr",
         "weight_decay"},
        kEps);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFalse(a[kForeach]), Reason::kForeachAsked);
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kExpAvgs), 1);
    lists.AddState(from.Take(kExpInfs), 2);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double weight_decay = PlainOrNumpy(a[kWeightDecay]).value;
    const double beta1 = Beta(a[kBeta1]), lr = PlainOrNumpy(a[kLr]).value;
    const double eps = PlainOrNumpy(a[kEps]).value;
    Require(!std::signbit(eps), Reason::kHyperparameter);
    const optim::AdamaxScalars<T> scalars = {
        {Flag(a[kMaximize]), weight_decay != 0, Rounded<T>(weight_decay)},
        Rounded<T>(1 - beta1),
        Rounded<T>(Beta(a[kBeta2])),
        Rounded<T>(eps),
        TorchThreads().threads};

    std::vector<optim::AdamaxTensor<T>> tensors;
    double step_of = std::numeric_limits<double>::quiet_NaN();
    T clr_neg = 0;  // of that step
    for (const auto& arrays : lists.GetArrays<T>()) {
      const double step = lists.CountStep(0, tensors.size());
      if (step != step_of) clr_neg = Rounded<T>(-(lr / BiasCorrection(beta1, step)));
      step_of = step;
      tensors.push_back(
          {arrays.param, arrays.grad, arrays.states[0], arrays.states[1], arrays.numel, clr_neg});
    }
    lists.Run("kwker::adamax", counters, mode, tensors, scalars, 1);
  }
};

}  // namespace

OptimEntry AdamaxEntry() { return EntryOf<RuleOf<Adamax>>::Make(); }

}  // namespace kwker::pyext

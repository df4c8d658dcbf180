#include "kernels/optim/radam.h"
#include "pyext/optim_moments.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kExpAvgs,
  kExpAvgSqs,
  kStateSteps,
  kDecoupledWeightDecay,
  kForeach,
  kDifferentiable,
  kCapturable,
  kHasComplex,
  kMaximize,
  kBeta1,
  kBeta2,
  kLr,
  kWeightDecay,
  kEps,
  kParameterCount,
};

struct Radam {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "radam";
  static constexpr const char* kFeature = "optim.radam";
  static constexpr std::array kState = {"exp_avg", "exp_avg_sq", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "exp_avgs", "exp_avg_sqs", "state_steps", "decoupled_weight_decay?",
         "foreach?", "differentiable?", "capturable?", "has_complex?", "maximize?", "beta1",
         "beta2", "lr", "weight_decay", "eps"},
        kBeta1);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFalse(a[kForeach]), Reason::kForeachAsked);
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kExpAvgs), 1);
    lists.AddState(from.Take(kExpAvgSqs), 2);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  // In doubles, in Python's order.
  struct Factors {
    double bias_correction1, bias_correction2_sqrt, rect;
    bool rectified;

    static Factors Make(double beta1, double beta2, double step) {
      const double correction1 = BiasCorrection(beta1, step);
      const double correction2 = BiasCorrection(beta2, step);
      const double rho_inf = 2 / (1 - beta2) - 1;
      const double rho = rho_inf - 2 * step * Power(beta2, step) / correction2;
      if (!(rho > 5.0)) return {correction1, 1, 1, false};
      const double squared =
          (rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho);
      return {correction1, Power(correction2, 0.5), Power(squared, 0.5), true};
    }
  };

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double beta1 = Beta(a[kBeta1]), beta2 = Beta(a[kBeta2]);
    const optim::RadamScalars<T> scalars = {
        GetMoments<T>({a[kBeta1], a[kBeta2], a[kLr], a[kWeightDecay], a[kDecoupledWeightDecay],
                       a[kMaximize]}),
        Rounded<T>(PlainOrNumpy(a[kEps]).value), Rounded<T>(PlainOrNumpy(a[kLr]).value),
        TorchSqrt<T>(), ThreadsForLerp(Rounded<T>(1 - Beta(a[kBeta1])))};

    Factors factors = {};  // most parameters have one step
    double factors_of = std::numeric_limits<double>::quiet_NaN();
    std::vector<optim::RadamTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      const double step = lists.CountStep(0, tensors.size());
      if (step != factors_of) factors = Factors::Make(beta1, beta2, step);
      factors_of = step;
      tensors.push_back({GetMomentsTensor(arrays), Rounded<T>(factors.bias_correction1),
                         factors.rectified, Rounded<T>(factors.bias_correction2_sqrt),
                         Rounded<T>(factors.rect)});
    }
    lists.Run("kwker::radam", counters, mode, tensors, scalars, 1 + DecayWrites(scalars.moments));
  }
};

}  // namespace

OptimEntry RadamEntry() { return EntryOf<RuleOf<Radam>>::Make(); }

}  // namespace kwker::pyext

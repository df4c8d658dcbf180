#include "kernels/optim/nadam.h"
#include "pyext/optim_moments.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kExpAvgs,
  kExpAvgSqs,
  kMuProducts,
  kStateSteps,
  kDecoupledWeightDecay,
  kForeach,
  kCapturable,
  kDifferentiable,
  kHasComplex,
  kMaximize,
  kBeta1,
  kBeta2,
  kLr,
  kWeightDecay,
  kMomentumDecay,
  kEps,
  kParameterCount,
};

struct Nadam {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "nadam";
  static constexpr const char* kFeature = "optim.nadam";
  static constexpr std::array kState = {"exp_avg", "exp_avg_sq", "mu_product", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "exp_avgs", "exp_avg_sqs", "mu_products", "state_steps",
         "decoupled_weight_decay?", "foreach?", "capturable?", "differentiable?", "has_complex?",
         "maximize?", "beta1", "beta2", "lr", "weight_decay", "momentum_decay", "eps"},
        kBeta1);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFalse(a[kForeach]), Reason::kForeachAsked);
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kExpAvgs), 1);
    lists.AddState(from.Take(kExpAvgSqs), 2);
    lists.AddNumbers(from.Take(kMuProducts));
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  // In doubles, in Python's order.
  struct Factors {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    double beta1, beta2, momentum_decay, lr_neg;

    // Of the parameter looked at last; most have one step and one product.
    double step = kNone, mu_product = kNone;
    double bias_correction2 = 0, grad = 0, exp_avg = 0;

    void Set(double to_step, double to_product, double mu) {
      if (to_step == step && to_product == mu_product) return;
      step = to_step;
      mu_product = to_product;
      const double next = Mu(step + 1);
      Require(mu_product != 1 && mu_product * next != 1, Reason::kHyperparameter);  // Python raises
      bias_correction2 = BiasCorrection(beta2, step);
      grad = lr_neg * (1.0 - mu) / (1.0 - mu_product);
      exp_avg = lr_neg * next / (1.0 - mu_product * next);
    }

    double Mu(double of_step) const {
      return beta1 * (1.0 - 0.5 * Power(0.96, of_step * momentum_decay));
    }
  };

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const optim::NadamScalars<T> scalars = {
        GetMoments<T>({a[kBeta1], a[kBeta2], a[kLr], a[kWeightDecay], a[kDecoupledWeightDecay],
                       a[kMaximize]}),
        Rounded<T>(PlainOrNumpy(a[kEps]).value), TorchSqrt<T>(),
        ThreadsForLerp(Rounded<T>(1 - Beta(a[kBeta1])))};

    Factors factors = {Beta(a[kBeta1]), Beta(a[kBeta2]), Plain(a[kMomentumDecay]).value,
                       Negated(PlainOrNumpy(a[kLr]))};
    double mu_of = Factors::kNone, mu = 0;
    std::vector<optim::NadamTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      const std::size_t i = tensors.size();
      const double step = lists.CountStep(1, i);
      if (step != mu_of) mu = factors.Mu(step);
      mu_of = step;
      const double product = lists.Product(0, i, mu);
      lists.SetNumber(0, i, product);
      factors.Set(step, product, mu);
      tensors.push_back({GetMomentsTensor(arrays), Rounded<T>(factors.bias_correction2),
                         Rounded<T>(factors.grad), Rounded<T>(factors.exp_avg)});
    }
    lists.Run("kwker::nadam", counters, mode, tensors, scalars, 2 + DecayWrites(scalars.moments));
  }
};

}  // namespace

OptimEntry NadamEntry() { return EntryOf<RuleOf<Nadam>>::Make(); }

}  // namespace kwker::pyext

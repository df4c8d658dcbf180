#include "kernels/optim/adadelta.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kSquareAvgs,
  kAccDeltas,
  kStateSteps,
  kCapturable,
  kForeach,
  kDifferentiable,
  kHasComplex,
  kLr,
  kRho,
  kEps,
  kWeightDecay,
  kMaximize,
  kParameterCount,
};

struct Adadelta {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "adadelta";
  static constexpr const char* kFeature = "optim.adadelta";
  static constexpr std::array kState = {"square_avg", "acc_delta", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "square_avgs", "acc_deltas", "state_steps", "capturable?", "foreach?",
         "differentiable?", "has_complex?", "lr", "rho", "eps", "weight_decay", "maximize"},
        kLr);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFlag(a[kForeach]), Reason::kArguments);  // either path has the same results
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kSquareAvgs), 2);
    lists.AddState(from.Take(kAccDeltas), 2);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double weight_decay = PlainOrNumpy(a[kWeightDecay]).value;
    const double rho = PlainOrNumpy(a[kRho]).value;
    const optim::AdadeltaScalars<T> scalars = {
        {Flag(a[kMaximize]), weight_decay != 0, Rounded<T>(weight_decay)},
        Rounded<T>(rho),
        Rounded<T>(1 - rho),
        Rounded<T>(PlainOrNumpy(a[kEps]).value),
        Rounded<T>(Negated(PlainOrNumpy(a[kLr]))),
        TorchSqrt<T>()};

    std::vector<optim::AdadeltaTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      lists.CountStep(0, tensors.size());
      tensors.push_back(
          {arrays.param, arrays.grad, arrays.states[0], arrays.states[1], arrays.numel});
    }
    lists.Run("kwker::adadelta", counters, mode, tensors, scalars, 1);
  }
};

}  // namespace

OptimEntry AdadeltaEntry() { return EntryOf<RuleOf<Adadelta>>::Make(); }

}  // namespace kwker::pyext

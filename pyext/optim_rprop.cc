#include "kernels/optim/rprop.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kPrevious,
  kStepSizes,
  kStateSteps,
  kForeach,
  kCapturable,
  kMaximize,
  kDifferentiable,
  kHasComplex,
  kStepSizeMin,
  kStepSizeMax,
  kEtaMinus,
  kEtaPlus,
  kParameterCount,
};

struct Rprop {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "rprop";
  static constexpr const char* kFeature = "optim.rprop";
  static constexpr std::array kState = {"prev", "step_size", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "prevs", "step_sizes", "state_steps", "foreach?", "capturable?",
         "maximize?", "differentiable?", "has_complex?", "step_size_min", "step_size_max",
         "etaminus", "etaplus"},
        kStepSizeMin);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    // Either path has the same results; the foreach path writes the gradients thrice.
    Require(IsFlag(a[kForeach]), Reason::kArguments);
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    const int negations = Flag(a[kMaximize]) ? 1 : 0;
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kPrevious), a[kForeach] == Py_True ? 2 + negations : 1);
    lists.AddState(from.Take(kStepSizes), 2);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const optim::RpropScalars<T> scalars = {Flag(a[kMaximize]),
                                            Rounded<T>(PlainOrNumpy(a[kEtaMinus]).value),
                                            Rounded<T>(PlainOrNumpy(a[kEtaPlus]).value),
                                            Rounded<T>(PlainOrNumpy(a[kStepSizeMin]).value),
                                            Rounded<T>(PlainOrNumpy(a[kStepSizeMax]).value)};
    // torch tells the cases apart by the factors, which must be three.
    Require(scalars.eta_minus > 0 && scalars.eta_minus < 1 && scalars.eta_plus > 1,
            Reason::kHyperparameter);

    std::vector<optim::RpropTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      lists.CountStep(0, tensors.size());
      tensors.push_back(
          {arrays.param, arrays.grad, arrays.states[0], arrays.states[1], arrays.numel});
    }
    lists.Run("kwker::rprop", counters, mode, tensors, scalars, 1);
  }
};

}  // namespace

OptimEntry RpropEntry() { return EntryOf<RuleOf<Rprop>>::Make(); }

}  // namespace kwker::pyext

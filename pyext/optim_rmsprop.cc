#include "kernels/optim/rmsprop.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kSquareAvgs,
  kGradAvgs,
  kMomentumBuffers,
  kStateSteps,
  kForeach,
  kMaximize,
  kDifferentiable,
  kCapturable,
  kHasComplex,
  kLr,
  kAlpha,
  kEps,
  kWeightDecay,
  kMomentum,
  kCentered,
  kParameterCount,
};

struct Rmsprop {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "rmsprop";
  static constexpr const char* kFeature = "optim.rmsprop";
  static constexpr std::array kState = {"square_avg", "grad_avg", "momentum_buffer", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "square_avgs", "grad_avgs", "momentum_buffer_list", "state_steps",
         "foreach?", "maximize?", "differentiable?", "capturable?", "has_complex?", "lr", "alpha",
         "eps", "weight_decay", "momentum", "centered"},
        kLr);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFlag(a[kForeach]), Reason::kArguments);  // either path has the same results
    RequirePlain(a[kCapturable], a[kDifferentiable], a[kHasComplex]);
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kSquareAvgs), 2);
    if (Flag(a[kCentered])) lists.AddState(from.Take(kGradAvgs), 1);
    if (PlainOrNumpy(a[kMomentum]).value > 0) lists.AddState(from.Take(kMomentumBuffers), 2);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double weight_decay = PlainOrNumpy(a[kWeightDecay]).value;
    const double alpha = PlainOrNumpy(a[kAlpha]).value;
    const double momentum = PlainOrNumpy(a[kMomentum]).value;
    const optim::RmspropScalars<T> scalars = {
        {Flag(a[kMaximize]), weight_decay != 0, Rounded<T>(weight_decay)},
        Rounded<T>(alpha),
        Rounded<T>(1 - alpha),
        Rounded<T>(PlainOrNumpy(a[kEps]).value),
        Rounded<T>(momentum),
        Rounded<T>(Negated(PlainOrNumpy(a[kLr]))),
        TorchSqrt<T>(),
        ThreadsForLerp(Rounded<T>(1 - alpha))};
    const bool centered = Flag(a[kCentered]);

    std::vector<optim::RmspropTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      const auto& s = arrays.states;
      tensors.push_back({arrays.param, arrays.grad, s[0], centered ? s[1] : nullptr,
                         momentum > 0 ? s[centered ? 2 : 1] : nullptr, arrays.numel});
      lists.CountStep(0, tensors.size() - 1);
    }
    lists.Run("kwker::rmsprop", counters, mode, tensors, scalars, 1);
  }
};

}  // namespace

OptimEntry RmspropEntry() { return EntryOf<RuleOf<Rmsprop>>::Make(); }

}  // namespace kwker::pyext

#include "kernels/optim/adagrad.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_numbers.h"
#include "pyext/optim_rule.h"

namespace kwker::pyext {
namespace {

enum Parameter {
  kParams,
  kGrads,
  kStateSums,
  kStateSteps,
  kFused,
  kGradScale,
  kFoundInf,
  kHasSparseGrad,
  kForeach,
  kDifferentiable,
  kHasComplex,
  kLr,
  kWeightDecay,
  kLrDecay,
  kEps,
  kMaximize,
  kParameterCount,
};

struct Adagrad {
  using Arguments = std::array<PyObject*, kParameterCount>;
  static constexpr const char* kName = "adagrad";
  static constexpr const char* kFeature = "optim.adagrad";
  static constexpr bool kInitGroupTellsOfSparse = true;
  static constexpr std::array kState = {"sum", "step"};

  static const Signature<kParameterCount>& GetSignature() {
    static const Signature<kParameterCount> signature(
        {"params", "grads", "state_sums", "state_steps", "fused?", "grad_scale?", "found_inf?",
         "has_sparse_grad?", "foreach?", "differentiable?", "has_complex?", "lr", "weight_decay",
         "lr_decay", "eps", "maximize"},
        kLr);
    return signature;
  }

  static OptimLists GetLists(const Arguments& a, const OptimSource& from) {
    Require(IsFlag(a[kForeach]),
            Reason::kArguments);  // either path has the same results, see below
    Require(IsFalse(a[kFused]), Reason::kFused);
    RequirePlain(nullptr, a[kDifferentiable], a[kHasComplex]);
    Require(IsFalse(a[kHasSparseGrad]), Reason::kSparse);
    for (const Parameter scaling : {kGradScale, kFoundInf}) {
      Require(IsNone(a[scaling]), Reason::kGradScaling);
    }
    OptimLists lists(from.Take(kParams), from.Take(kGrads));
    lists.AddState(from.Take(kStateSums), 1);
    lists.AddNumbers(from.Take(kStateSteps));
    return lists;
  }

  template <typename T>
  static void Step(const Arguments& a, OptimLists& lists, Counters& counters, Mode mode) {
    const double weight_decay = PlainOrNumpy(a[kWeightDecay]).value;
    // torch's foreach path negates the learning rate before it divides: an int 0 has no sign.
    const bool unsigned_zero = a[kForeach] == Py_True && PyLong_CheckExact(a[kLr]);
    const double lr = PlainOrNumpy(a[kLr]).value, lr_decay = PlainOrNumpy(a[kLrDecay]).value;
    const optim::AdagradScalars<T> scalars = {
        {Flag(a[kMaximize]), weight_decay != 0, Rounded<T>(weight_decay)},
        Rounded<T>(PlainOrNumpy(a[kEps]).value),
        TorchSqrt<T>()};

    std::vector<optim::AdagradTensor<T>> tensors;
    for (const auto& arrays : lists.GetArrays<T>()) {
      const double divisor = 1 + (lists.CountStep(0, tensors.size()) - 1) * lr_decay;
      Require(divisor != 0, Reason::kHyperparameter);  // Python raises
      const double value = unsigned_zero && lr == 0 ? 0.0 / divisor : -(lr / divisor);
      tensors.push_back(
          {arrays.param, arrays.grad, arrays.states[0], arrays.numel, Rounded<T>(value)});
    }
    lists.Run("kwker::adagrad", counters, mode, tensors, scalars, 1);
  }
};

}  // namespace

OptimEntry AdagradEntry() { return EntryOf<RuleOf<Adagrad>>::Make(); }

}  // namespace kwker::pyext

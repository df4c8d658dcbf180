// torch.optim.sgd.sgd(): a group's step from lists of tensors.
#include <array>

#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_group.h"
#include "pyext/optim_sgd.h"

namespace kwker::pyext {
namespace {

Loop loop;

enum Parameter {
  kParams,
  kGrads,
  kMomentumBuffers,
  kHasSparseGrad,
  kForeach,
  kFused,
  kGradScale,
  kFoundInf,
  kWeightDecay,
  kMomentum,
  kLr,
  kDampening,
  kNesterov,
  kMaximize,
  kParameterCount,
};

using Arguments = std::array<PyObject*, kParameterCount>;

const Signature<kParameterCount>& SgdSignature() {
  static const Signature<kParameterCount> signature(
      {"params", "d_p_list", "momentum_buffer_list", "has_sparse_grad?", "foreach?", "fused?",
       "grad_scale?", "found_inf?", "weight_decay", "momentum", "lr", "dampening", "nesterov",
       "maximize"},
      kWeightDecay);
  return signature;
}

SgdOptions Options(const Arguments& a) {
  return {.foreach = a[kForeach],
          .fused = a[kFused],
          .grad_scale = a[kGradScale],
          .found_inf = a[kFoundInf],
          .has_sparse_grad = a[kHasSparseGrad],
          .nesterov = a[kNesterov],
          .maximize = a[kMaximize],
          .weight_decay = a[kWeightDecay],
          .momentum = a[kMomentum],
          .lr = a[kLr],
          .dampening = a[kDampening]};
}

// Not kNone: why torch's code must take the call.
Reason Serve(const Arguments& a, Mode mode) {
  if (!loop.IsInPlace()) return Reason::kPatched;
  const SgdOptions options = Options(a);
  const Reason reason = CheckSgdOptions(options);
  if (reason != Reason::kNone) return reason;
  // No gradients, or _init_group() has done the step: torch's function does nothing.
  if (IsEmptyList(a[kParams])) return Reason::kNone;
  return ReasonOf([&] {
    SgdLists lists;
    lists.params = Tensors(a[kParams]);
    const auto size = static_cast<Py_ssize_t>(lists.params.size());
    lists.grads = Tensors(a[kGrads], size);
    if (HasMomentum(options)) {
      lists.momentum_buffers = Tensors(a[kMomentumBuffers], size, /*or_none=*/true);
    }
    ServeSgd(options, lists, a[kMomentumBuffers], mode);
    return Reason::kNone;
  });
}

}  // namespace

void SetSgdLoop(pybind11::dict module, const pybind11::dict& functions) {
  loop.Set(std::move(module), functions);
}

void SetSgdStep(const pybind11::object& code, const pybind11::str& name,
                const pybind11::object& function) {
  loop.SetStep(code, name, function);
}

const Loop& SgdLoop() { return loop; }

bool SgdEntry(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = SgdSignature().Sort(call);
  if (!arguments || !sgd_counters.IsOn()) return false;
  return Served(sgd_counters, Serve(*arguments, Mode::kServe), result);
}

bool SgdExplain(const Call& call, PyObject** result) {
  const std::optional<Arguments> arguments = SgdSignature().Sort(call);
  return Explained(arguments ? Serve(*arguments, Mode::kExplain) : Reason::kArguments, result);
}

}  // namespace kwker::pyext

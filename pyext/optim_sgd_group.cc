// SGD._init_group(): a group's step, from the optimizer itself. See
// optim_adam_group.cc.
#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_group.h"
#include "pyext/optim_sgd.h"

namespace kwker::pyext {
namespace {

struct Names {
  PyObject* foreach = Interned("foreach");
  PyObject* fused = Interned("fused");
  PyObject* nesterov = Interned("nesterov");
  PyObject* maximize = Interned("maximize");
  PyObject* weight_decay = Interned("weight_decay");
  PyObject* momentum = Interned("momentum");
  PyObject* lr = Interned("lr");
  PyObject* dampening = Interned("dampening");
  PyObject* grad_scale = Interned("grad_scale");
  PyObject* found_inf = Interned("found_inf");
  PyObject* momentum_buffer = Interned("momentum_buffer");
};

SgdLists Walk(const OptimGroup& group, const Names& names, bool has_momentum) {
  SgdLists lists;
  for (TensorList* list : {&lists.params, &lists.grads, &lists.momentum_buffers}) {
    list->Reserve(group.size());
  }
  group.ForEachGradient(
      [&](PyObject* param, const at::Tensor& tensor, const at::Tensor& grad, PyObject* state) {
        lists.params.Append(param, tensor);
        lists.grads.Append(grad);
        // None in a first step: then torch's step() puts what sgd() makes into the state.
        if (has_momentum) AppendState(state, names.momentum_buffer, &lists.momentum_buffers);
      });
  return lists;
}

// Not kNone: why not. Nothing is counted here: sgd() is then called with what
// torch's own collecting finds, and says why.
Reason Serve(PyObject* optimizer, PyObject* group_dict) {
  static const Names names;
  if (!sgd_counters.IsOn()) return Reason::kArguments;
  const OptimGroup group(optimizer, group_dict);
  const pybind11::object grad_scale = group.Attribute(names.grad_scale);
  const pybind11::object found_inf = group.Attribute(names.found_inf);
  const SgdOptions options = {.foreach = group[names.foreach],
                              .fused = group[names.fused],
                              .grad_scale = grad_scale.ptr(),
                              .found_inf = found_inf.ptr(),
                              .has_sparse_grad = nullptr,
                              .nesterov = group[names.nesterov],
                              .maximize = group[names.maximize],
                              .weight_decay = group[names.weight_decay],
                              .momentum = group[names.momentum],
                              .lr = group[names.lr],
                              .dampening = group[names.dampening]};
  const Reason reason = CheckSgdOptions(options);
  if (reason != Reason::kNone) return reason;
  const SgdLists lists = Walk(group, names, HasMomentum(options));
  if (lists.params.size() > 0) ServeSgd(options, lists, /*buffer_list=*/nullptr, Mode::kServe);
  return Reason::kNone;
}

}  // namespace

bool SgdGroupEntry(const Call& call, PyObject** result) {
  constexpr Py_ssize_t kLists = 3;
  if (!IsInitGroup(call, kLists) || !SgdLoop().IsCalledByStep()) return false;
  if (ReasonOf([&] { return Serve(call.args[0], call.args[1]); }) != Reason::kNone) return false;
  *result = Py_NewRef(Py_False);  // no sparse gradients
  return true;
}

}  // namespace kwker::pyext

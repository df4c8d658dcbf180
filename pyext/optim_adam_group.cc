// Adam._init_group(): a group's step, from the optimizer itself.
//
// torch's Adam.step() collects each group's tensors in lists, by _init_group(),
// and hands the lists to adam(). Where the group is all ordinary, the step is done
// in the place of the collecting, and the lists stay empty.
#include "pyext/arguments.h"
#include "pyext/optim.h"
#include "pyext/optim_adam.h"
#include "pyext/optim_group.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {
namespace {

struct Names {
  PyObject* foreach = Interned("foreach");
  PyObject* fused = Interned("fused");
  PyObject* capturable = Interned("capturable");
  PyObject* differentiable = Interned("differentiable");
  PyObject* decoupled_weight_decay = Interned("decoupled_weight_decay");
  PyObject* amsgrad = Interned("amsgrad");
  PyObject* maximize = Interned("maximize");
  PyObject* betas = Interned("betas");
  PyObject* lr = Interned("lr");
  PyObject* weight_decay = Interned("weight_decay");
  PyObject* eps = Interned("eps");
  PyObject* grad_scale = Interned("grad_scale");
  PyObject* found_inf = Interned("found_inf");
  PyObject* exp_avg = Interned("exp_avg");
  PyObject* exp_avg_sq = Interned("exp_avg_sq");
  PyObject* max_exp_avg_sq = Interned("max_exp_avg_sq");
  PyObject* step = Interned("step");
};

AdamLists Walk(const OptimGroup& group, const Names& names, bool amsgrad) {
  AdamLists lists;
  for (TensorList* list : {&lists.params, &lists.grads, &lists.exp_avgs, &lists.exp_avg_sqs,
                           &lists.max_exp_avg_sqs, &lists.steps}) {
    list->Reserve(group.size());
  }
  group.ForEachGradient(
      [&](PyObject* param, const at::Tensor& tensor, const at::Tensor& grad, PyObject* state) {
        lists.params.Append(param, tensor);
        lists.grads.Append(grad);
        AppendState(state, names.exp_avg, &lists.exp_avgs);
        AppendState(state, names.exp_avg_sq, &lists.exp_avg_sqs);
        if (amsgrad) AppendState(state, names.max_exp_avg_sq, &lists.max_exp_avg_sqs);
        AppendState(state, names.step, &lists.steps);
      });
  return lists;
}

// Not kNone: why not. Nothing is counted here: adam() is then called with what
// torch's own collecting finds, and says why.
Reason Serve(PyObject* optimizer, PyObject* group_dict) {
  static const Names names;
  const OptimGroup group(optimizer, group_dict);
  PyObject* decoupled = group[names.decoupled_weight_decay];
  Counters& counters = AdamCounters(decoupled);
  PyObject* betas = group[names.betas];
  Require(counters.IsOn() && PyTuple_CheckExact(betas) && PyTuple_GET_SIZE(betas) == 2,
          Reason::kArguments);
  const pybind11::object grad_scale = group.Attribute(names.grad_scale);
  const pybind11::object found_inf = group.Attribute(names.found_inf);
  const AdamOptions options = {.foreach = group[names.foreach],
                               .fused = group[names.fused],
                               .capturable = group[names.capturable],
                               .differentiable = group[names.differentiable],
                               .grad_scale = grad_scale.ptr(),
                               .found_inf = found_inf.ptr(),
                               .has_complex = nullptr,
                               .decoupled_weight_decay = decoupled,
                               .amsgrad = group[names.amsgrad],
                               .maximize = group[names.maximize],
                               .beta1 = PyTuple_GET_ITEM(betas, 0),
                               .beta2 = PyTuple_GET_ITEM(betas, 1),
                               .lr = group[names.lr],
                               .weight_decay = group[names.weight_decay],
                               .eps = group[names.eps]};
  const Reason reason = CheckAdamOptions(options);
  if (reason != Reason::kNone) return reason;
  const AdamLists lists = Walk(group, names, options.amsgrad == Py_True);
  if (lists.params.size() > 0) ServeAdam(counters, options, lists, Mode::kServe);
  return Reason::kNone;
}

}  // namespace

bool AdamGroupEntry(const Call& call, PyObject** result) {
  constexpr Py_ssize_t kLists = 6;
  if (!IsInitGroup(call, kLists) || !AdamLoop().IsCalledByStep()) return false;
  if (ReasonOf([&] { return Serve(call.args[0], call.args[1]); }) != Reason::kNone) return false;
  *result = Py_NewRef(Py_False);  // no complex parameters
  return true;
}

}  // namespace kwker::pyext

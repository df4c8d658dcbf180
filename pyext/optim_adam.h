// The step of Adam and AdamW, however it was asked for.
#pragma once

#include "pyext/counters.h"
#include "pyext/optim_common.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {

// The options of a step as the program gave them: borrowed, null where not given.
struct AdamOptions {
  PyObject* foreach, *fused, *capturable, *differentiable, *grad_scale, *found_inf, *has_complex;
  PyObject *decoupled_weight_decay, *amsgrad, *maximize;
  PyObject *beta1, *beta2, *lr, *weight_decay, *eps;
};

// Item i of each belongs to parameter i.
struct AdamLists {
  TensorList params, grads, exp_avgs, exp_avg_sqs, steps;
  TensorList max_exp_avg_sqs;  // with amsgrad
};

// Why torch's code must take a step with these options, kNone: Kwker's may.
// Numbers are looked at by ServeAdam().
Reason CheckAdamOptions(const AdamOptions& options);

// adam_counters or adamw_counters.
Counters& AdamCounters(PyObject* decoupled_weight_decay);

// The step, or with kExplain only its checks. Throws FallBack before anything is
// changed. `options` have passed CheckAdamOptions().
void ServeAdam(Counters& counters, const AdamOptions& options, const AdamLists& lists, Mode mode);

// Whether torch's code is in place around the step, see Loop.
const Loop& AdamLoop();

}  // namespace kwker::pyext

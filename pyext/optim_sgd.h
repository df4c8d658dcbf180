// The step of SGD, however it was asked for.
#pragma once

#include "pyext/counters.h"
#include "pyext/optim_common.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {

// The options of a step as the program gave them: borrowed, null where not given.
struct SgdOptions {
  PyObject* foreach, *fused, *grad_scale, *found_inf, *has_sparse_grad;
  PyObject *nesterov, *maximize;
  PyObject *weight_decay, *momentum, *lr, *dampening;
};

// Item i of each belongs to parameter i.
struct SgdLists {
  TensorList params, grads;
  TensorList momentum_buffers;  // null: to be made; empty list: no momentum
};

// Why torch's code must take a step with these options, kNone: Kwker's may.
// Numbers are looked at by ServeSgd().
Reason CheckSgdOptions(const SgdOptions& options);

// Whether there are momentum buffers. Throws FallBack for what is no plain number.
bool HasMomentum(const SgdOptions& options);

// The step, or with kExplain only its checks. Throws FallBack before anything is
// changed. `options` have passed CheckSgdOptions(). New momentum buffers are put
// into `buffer_list`.
void ServeSgd(const SgdOptions& options, const SgdLists& lists, PyObject* buffer_list, Mode mode);

// Whether torch's code is in place around the step, see Loop.
const Loop& SgdLoop();

}  // namespace kwker::pyext

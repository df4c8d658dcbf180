// The optimizers' entries: what stands in the place of torch.optim's functions.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include "pyext/counters.h"
#include "pyext/hook.h"

namespace kwker::pyext {

extern Counters adam_counters;   // optim.adam
extern Counters adamw_counters;  // optim.adamw
extern Counters sgd_counters;    // optim.sgd

// Tells the entries which loops they stand for, so that they give way when
// somebody has replaced one: torch.optim.adam.__dict__ and the object at
// "_single_tensor_adam" there, likewise for sgd.
void SetAdamLoop(pybind11::dict module, pybind11::object loop);
void SetSgdLoop(pybind11::dict module, pybind11::object loop);

// In place of torch.optim.adam.adam.
bool AdamEntry(const Call& call, PyObject** result);

// In place of torch.optim.sgd.sgd.
bool SgdEntry(const Call& call, PyObject** result);

// With the same arguments: why the entry would leave the call to torch, as a str,
// "" if it would take it. Changes nothing.
bool AdamExplain(const Call& call, PyObject** result);
bool SgdExplain(const Call& call, PyObject** result);

}  // namespace kwker::pyext

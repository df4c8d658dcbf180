// The optimizers' entries: what stands in the place of torch.optim's functions.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include "pyext/counters.h"
#include "pyext/hook.h"

namespace kwker::pyext {

extern Counters adam_counters;   // optim.adam
extern Counters adamw_counters;  // optim.adamw
extern Counters sgd_counters;    // optim.sgd

// Tells the entries which functions they stand for, so that they give way when
// somebody has replaced one: the namespace of torch.optim.adam (of .sgd), and from
// names in it to the objects that must be there.
void SetAdamLoop(pybind11::dict module, const pybind11::dict& functions);
void SetSgdLoop(pybind11::dict module, const pybind11::dict& functions);

// The step() that each entry for _init_group() may act for, see Loop::SetStep.
void SetAdamStep(const pybind11::object& code, const pybind11::str& name,
                 const pybind11::object& function);
void SetSgdStep(const pybind11::object& code, const pybind11::str& name,
                const pybind11::object& function);

// In place of Adam._init_group and SGD._init_group.
bool AdamGroupEntry(const Call& call, PyObject** result);
bool SgdGroupEntry(const Call& call, PyObject** result);

// In place of torch.optim.adam.adam.
bool AdamEntry(const Call& call, PyObject** result);

// In place of torch.optim.sgd.sgd.
bool SgdEntry(const Call& call, PyObject** result);

// With the same arguments: why the entry would leave the call to torch, as a str,
// "" if it would take it. Changes nothing.
bool AdamExplain(const Call& call, PyObject** result);
bool SgdExplain(const Call& call, PyObject** result);

}  // namespace kwker::pyext

// The entry that stands in the place of Pillow's resize.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include "pyext/counters.h"
#include "pyext/hook.h"

namespace kwker::pyext {

extern Counters resize_counters;  // vision.resize

// Tells the entry about Pillow: the class PIL.Image.Image and the module
// PIL.Image.core. Before ResizeEntry is called.
void SetPillow(const pybind11::object& image_class, const pybind11::object& core);

// In place of PIL.Image.Image.resize.
bool ResizeEntry(const Call& call, PyObject** result);

}  // namespace kwker::pyext

// The entries of the vision features: what stands in the place of torchvision's functions.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <string>

#include "pyext/counters.h"
#include "pyext/hook.h"

namespace kwker::pyext {

extern Counters to_dtype_normalize_counters;  // vision.to_dtype_normalize
extern Counters to_tensor_counters;           // vision.to_tensor
extern Counters color_counters;               // vision.color

// The kernels that torchvision.transforms.v2.functional dispatches to for tensors.
bool ToDtypeEntry(const Call& call, PyObject** result);
bool NormalizeEntry(const Call& call, PyObject** result);

// In place of Compose.forward. `plan` takes a Compose and returns None, or an object to call its
// function `forward` on instead, in whose list of transforms some are fused.
bool ComposeEntry(const Call& call, PyObject** result);
void SetCompose(const pybind11::object& plan, const pybind11::object& forward);

// Called by such a plan with: ToImage or PILToTensor or None; ToDtype; Normalize; its mean and
// std; the class of the result where the first is given, None for a plain tensor; the input.
bool FusedEntry(const Call& call, PyObject** result);

// torchvision.transforms.functional.to_tensor and .normalize (v1).
bool ToTensorEntry(const Call& call, PyObject** result);
bool NormalizeV1Entry(const Call& call, PyObject** result);

// The kernels for tensors, and for PIL images.
bool BrightnessEntry(const Call& call, PyObject** result);
bool ContrastEntry(const Call& call, PyObject** result);
bool SaturationEntry(const Call& call, PyObject** result);
bool HueEntry(const Call& call, PyObject** result);
bool SolarizeEntry(const Call& call, PyObject** result);
bool AutocontrastEntry(const Call& call, PyObject** result);
bool EqualizeEntry(const Call& call, PyObject** result);
bool PillowBrightnessEntry(const Call& call, PyObject** result);
bool PillowContrastEntry(const Call& call, PyObject** result);
bool PillowSaturationEntry(const Call& call, PyObject** result);
bool PillowHueEntry(const Call& call, PyObject** result);
bool GammaEntry(const Call& call, PyObject** result);
bool SharpnessEntry(const Call& call, PyObject** result);
bool GrayscaleEntry(const Call& call, PyObject** result);
bool PillowSolarizeEntry(const Call& call, PyObject** result);
bool PillowPosterizeEntry(const Call& call, PyObject** result);
bool PillowInvertEntry(const Call& call, PyObject** result);
bool PillowAutocontrastEntry(const Call& call, PyObject** result);
bool PillowEqualizeEntry(const Call& call, PyObject** result);
bool PillowGammaEntry(const Call& call, PyObject** result);
bool PillowSharpnessEntry(const Call& call, PyObject** result);
bool PillowGrayscaleEntry(const Call& call, PyObject** result);

// ColorJitter.transform and RandomPhotometricDistort.transform.
bool ColorJitterEntry(const Call& call, PyObject** result);
bool PhotometricDistortEntry(const Call& call, PyObject** result);

// Tells which classes those are, and what must stand where for a chain to be served: a list of
// (dict, key, value). `permute` is torchvision's permute_channels.
void SetColorChain(const pybind11::object& jitter, const pybind11::object& distort,
                   const pybind11::object& permute, const pybind11::list& places);

// A hook with the entry of that name, e.g. "to_dtype" or "pillow_hue".
pybind11::object VisionHook(const std::string& name, const pybind11::object& original);

}  // namespace kwker::pyext

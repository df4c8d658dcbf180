// The transforms that draw a chain of colour adjustments: their drawing is torchvision's, so
// that the random stream is; the chain they have drawn is done in one go.
#include <array>
#include <vector>

#include "pyext/optim_common.h"
#include "pyext/vision_color.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"

namespace kwker::pyext {
namespace {

// Kept for ever: the references are not given back at the end of the process.
PyObject *jitter_class = nullptr, *distort_class = nullptr, *permute_channels = nullptr;

struct Place {
  PyObject *dict, *key, *value;
};
std::vector<Place> places;

// Whether torchvision would call what the chain stands for: nobody has replaced a function.
bool AllInPlace(PyObject* self) {
  for (const Place& place : places) {
    if (PyDict_GetItemWithError(place.dict, place.key) != place.value) return false;
  }
  PyObject* const own = PyObject_GenericGetDict(self, nullptr);
  if (own == nullptr) return false;
  const bool overridden = PyDict_GetItemString(own, "_call_kernel") != nullptr;
  Py_DECREF(own);
  return !overridden;
}

PyObject* Item(PyObject* params, const char* name) {
  PyObject* const value = PyDict_GetItemString(params, name);
  Require(value != nullptr, Reason::kArguments);
  return value;
}

struct Named {
  const char* name;
  AdjustmentKind kind;
};
constexpr std::array<Named, 4> kFactors = {{{"brightness_factor", AdjustmentKind::kBrightness},
                                            {"contrast_factor", AdjustmentKind::kContrast},
                                            {"saturation_factor", AdjustmentKind::kSaturation},
                                            {"hue_factor", AdjustmentKind::kHue}}};

// Appends the adjustment of that number, unless its factor is None.
void Append(PyObject* params, std::size_t number, std::vector<Adjustment>& chain) {
  const auto [name, kind] = kFactors[number];
  PyObject* const factor = Item(params, name);
  if (factor == Py_None) return;
  Require(PyFloat_CheckExact(factor), Reason::kArguments);  // as the transforms draw them
  chain.push_back({kind, RequireFactor(factor, kind, /*pillow=*/false)});
}

std::vector<Adjustment> JitterChain(PyObject* params) {
  Reason reason = Reason::kNone;
  const at::Tensor* order = ExactTensor(Item(params, "fn_idx"), &reason);
  Require(order != nullptr && order->scalar_type() == at::kLong && order->dim() == 1 &&
              order->is_contiguous() && CheckPlain(*order) == Reason::kNone,
          Reason::kArguments);
  std::vector<Adjustment> chain;
  for (std::int64_t i = 0; i < order->numel(); ++i) {
    const std::int64_t number = order->const_data_ptr<std::int64_t>()[i];
    Require(number >= 0 && number < static_cast<std::int64_t>(kFactors.size()), Reason::kArguments);
    Append(params, static_cast<std::size_t>(number), chain);
  }
  return chain;
}

std::vector<Adjustment> DistortChain(PyObject* params) {
  enum { kBrightness, kContrast, kSaturation, kHue };
  PyObject* const before = Item(params, "contrast_before");
  Require(PyBool_Check(before), Reason::kArguments);
  std::vector<Adjustment> chain;
  Append(params, kBrightness, chain);
  if (before == Py_True) Append(params, kContrast, chain);
  Append(params, kSaturation, chain);
  Append(params, kHue, chain);
  if (before == Py_False) Append(params, kContrast, chain);
  return chain;
}

// Takes the arguments of transform(self, inpt, params).
template <typename MakeChain>
bool ServeChain(const Call& call, PyObject* expected_class, const MakeChain& make_chain,
                PyObject** result) {
  if (call.positional != 3 || call.keyword_names != nullptr || !color_counters.IsOn()) {
    return false;
  }
  PyObject *self = call.args[0], *input = call.args[1], *params = call.args[2];
  const Reason reason = ReasonOf([&] {
    Require(reinterpret_cast<PyObject*>(Py_TYPE(self)) == expected_class, Reason::kSubclass);
    Require(PyDict_CheckExact(params), Reason::kArguments);
    Require(AllInPlace(self), Reason::kPatched);
    const std::vector<Adjustment> chain = make_chain(params);
    if (chain.empty()) {
      *result = Py_NewRef(input);
    } else if (IsTensorImage(input)) {
      const TensorImage image = RequireImage(input);
      *result = WrapLike(AdjustTensor(*image.tensor, chain), image);
    } else {
      *result = AdjustPillow(input, chain);
    }
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  color_counters.CountFallback(reason);
  return false;
}

}  // namespace

void SetColorChain(const pybind11::object& jitter, const pybind11::object& distort,
                   const pybind11::object& permute, const pybind11::list& list) {
  jitter_class = pybind11::object(jitter).release().ptr();
  distort_class = pybind11::object(distort).release().ptr();
  permute_channels = pybind11::object(permute).release().ptr();
  places.clear();
  for (const pybind11::handle& item : list) {
    auto place = item.cast<pybind11::tuple>();
    places.push_back({pybind11::object(place[0]).release().ptr(),
                      pybind11::object(place[1]).release().ptr(),
                      pybind11::object(place[2]).release().ptr()});
  }
}

bool ColorJitterEntry(const Call& call, PyObject** result) {
  return ServeChain(call, jitter_class, &JitterChain, result);
}

bool PhotometricDistortEntry(const Call& call, PyObject** result) {
  if (!ServeChain(call, distort_class, &DistortChain, result)) return false;
  PyObject* const permutation = PyDict_GetItemString(call.args[2], "channel_permutation");
  if (*result == nullptr || permutation == nullptr || permutation == Py_None) return true;
  namespace py = pybind11;
  const auto image = py::reinterpret_steal<py::object>(*result);
  *result = py::handle(call.args[0])
                .attr("_call_kernel")(py::handle(permute_channels), image,
                                      py::arg("permutation") = py::handle(permutation))
                .release()
                .ptr();
  return true;
}

}  // namespace kwker::pyext

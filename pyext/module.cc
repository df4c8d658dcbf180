// kwker._C: the extension module. Its Python face is described in kwker/_C.pyi.
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/headeronly/version.h>

#include <string>
#include <vector>

#include "kernels/base/isa.h"
#include "pyext/arrow_pixels.h"
#include "pyext/averaging.h"
#include "pyext/clip_grad.h"
#include "pyext/counters.h"
#include "pyext/digest.h"
#include "pyext/hook.h"
#include "pyext/optim_entry.h"
#include "pyext/pillow_pixels.h"
#include "pyext/torch_state.h"
#include "pyext/traffic.h"
#include "pyext/vision_entries.h"
#include "pyext/vision_image.h"
#include "pyext/vision_resize.h"
#include "pyext/zero_grad.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

py::dict FallbacksOf(const Counters& counters) {
  py::dict fallbacks;
  const Tally& tally = counters.tally();
  for (std::size_t i = 0; i < tally.fallbacks.size(); ++i) {
    const std::int64_t count = tally.fallbacks[i];
    if (count > 0) fallbacks[ReasonText(static_cast<Reason>(i))] = count;
  }
  return fallbacks;
}

void BindCounters(py::module_& m) {
  py::class_<Counters, std::unique_ptr<Counters, py::nodelete>>(m, "Counters")
      .def_property_readonly("name", &Counters::name)
      .def_property(
          "enabled", [](const Counters& c) { return c.enabled.load(); },
          [](Counters& c, bool enabled) { c.enabled = enabled; })
      .def_property(
          "unchecked", [](const Counters& c) { return c.unchecked.load(); },
          [](Counters& c, bool unchecked) { c.unchecked = unchecked; })
      .def_property_readonly("calls", [](const Counters& c) { return c.tally().calls.load(); })
      .def_property_readonly("elements",
                             [](const Counters& c) { return c.tally().elements.load(); })
      .def_property_readonly(
          "seconds",
          [](const Counters& c) { return 1e-9 * static_cast<double>(c.tally().nanoseconds); })
      .def_property_readonly("fallbacks", &FallbacksOf)
      .def("reset", [](Counters& c) { c.tally().Reset(); })
      .def("begin_trial", &Counters::BeginTrial)
      .def("end_trial", &Counters::EndTrial);
  m.def("set_check", [](const py::object& function) {
    static PyObject* check = nullptr;  // for ever
    check = function.inc_ref().ptr();
    Counters::check = [](const Counters& c) {
      py::reinterpret_borrow<py::object>(check)(c.name());
    };
  });
  m.attr("resize_counters") = py::cast(&resize_counters, py::return_value_policy::reference);
  m.attr("to_dtype_normalize_counters") =
      py::cast(&to_dtype_normalize_counters, py::return_value_policy::reference);
  m.attr("to_tensor_counters") = py::cast(&to_tensor_counters, py::return_value_policy::reference);
  m.attr("color_counters") = py::cast(&color_counters, py::return_value_policy::reference);
}

// Whether `import torch` has not come to its end: then it is this process that does it.
bool TorchIsNew() {
  const py::object spec = py::module_::import("torch").attr("__spec__");
  return py::cast<bool>(py::getattr(spec, "_initializing", py::bool_(false)));
}

}  // namespace
}  // namespace kwker::pyext

PYBIND11_MODULE(_C, m) {
  namespace py = pybind11;
  using namespace kwker::pyext;
  SurviveForks(TorchIsNew());
  m.attr("torch_version") = TORCH_VERSION;
  BindCounters(m);
  BindOptimizers(m);
  BindAveraging(m);
  BindZeroGrad(m);
  BindClipGrad(m);
  m.def("isa", [] { return std::string(kwker::IsaName(TorchIsa())); });
  m.def("sqrt_form", [](bool float64) {
    return float64 ? kwker::SqrtFormName(TorchSqrt<double>().form)
                   : kwker::SqrtFormName(TorchSqrt<float>().form);
  });
  m.def("thread_reason", [] { return std::string(ReasonText(CheckThread())); });
  m.def("threads_may_be_lost", &ThreadsMayBeLost);
  m.def("observe", &Observe);
  m.def("optim_traffic", &OptimTraffic);
  m.def("digest_tensor", &DigestTensor);
  m.def("set_tensor_classes", &SetTensorClasses);
  m.def("set_pillow_images", &SetPillowImages);
  m.def("set_compose", &SetCompose);
  m.def("set_color_chain", &SetColorChain);
  m.def("vision_hook", &VisionHook);
  m.def("set_pillow", &SetPillow);
  m.def("image_bytes", &ImageBytes);
  m.def("resize_hook", [](const py::object& original) { return MakeHook(original, &ResizeEntry); });
}

#include "pyext/optim_more.h"

namespace kwker::pyext {

namespace py = pybind11;

void BindMoreOptimizers(py::module_& m) {
  py::class_<MoreOptimizer>(m, "MoreOptimizer")
      .def_property_readonly(
          "counters", [](const MoreOptimizer& o) { return o.counters; },
          py::return_value_policy::reference)
      .def("set_loop", [](const MoreOptimizer& o, py::dict module,
                          const py::dict& functions) { o.loop->Set(std::move(module), functions); })
      .def("set_step",
           [](const MoreOptimizer& o, const py::object& code, const py::object& function) {
             o.loop->SetStep(code, py::str(o.name), function);
           })
      .def("group_hook",
           [](const MoreOptimizer& o, const py::object& original) {
             return MakeHook(original, o.group_entry);
           })
      .def("hook", [](const MoreOptimizer& o,
                      const py::object& original) { return MakeHook(original, o.entry); })
      .def("explain", [](const MoreOptimizer& o, const py::object& original) {
        return MakeHook(original, o.explain);
      });
  py::dict optimizers;
  for (const MoreOptimizer& optimizer :
       {RmspropOptimizer(), AdagradOptimizer(), NadamOptimizer(), RadamOptimizer(),
        AdamaxOptimizer(), AdadeltaOptimizer(), AsgdOptimizer()}) {
    optimizers[optimizer.name] = optimizer;
  }
  m.attr("more_optimizers") = optimizers;
}

}  // namespace kwker::pyext

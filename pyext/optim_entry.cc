#include "pyext/optim_entry.h"

namespace kwker::pyext {

namespace py = pybind11;

void BindOptimizers(py::module_& m) {
  py::class_<OptimEntry>(m, "OptimEntry")
      .def_property_readonly("counters",
                             [](const OptimEntry& o) {
                               py::dict counters;
                               for (Counters* c : o.counters) {
                                 counters[c->name()] =
                                     py::cast(c, py::return_value_policy::reference);
                               }
                               return counters;
                             })
      .def("set_loop", [](const OptimEntry& o, py::dict module,
                          const py::dict& functions) { o.loop->Set(std::move(module), functions); })
      .def("set_step",
           [](const OptimEntry& o, const py::object& code, const py::object& function) {
             o.loop->SetStep(code, py::str(o.name), function);
           })
      .def("group_hook",
           [](const OptimEntry& o, const py::object& original) {
             return MakeHook(original, o.group_entry);
           })
      .def("hook", [](const OptimEntry& o,
                      const py::object& original) { return MakeHook(original, o.entry); })
      .def("explain", [](const OptimEntry& o, const py::object& original) {
        return MakeHook(original, o.explain);
      });
  py::dict optimizers;
  for (const OptimEntry& optimizer :
       {AdamEntry(), SgdEntry(), RmspropEntry(), AdagradEntry(), NadamEntry(), RadamEntry(),
        AdamaxEntry(), AdadeltaEntry(), AsgdEntry(), RpropEntry()}) {
    optimizers[optimizer.name] = optimizer;
  }
  m.attr("optimizers") = optimizers;
}

}  // namespace kwker::pyext

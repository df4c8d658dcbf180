#include "pyext/zero_grad.h"

#include <chrono>
#include <string>
#include <vector>

#include "kernels/optim/memory.h"
#include "pyext/arguments.h"
#include "pyext/hook.h"
#include "pyext/module_tree.h"
#include "pyext/optim_group.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;

Counters counters("optim.zero_grad");

// Parameters that have gradients, to be cleared or dropped.
class Gradients {
 public:
  explicit Gradients(bool set_to_none) : set_to_none_(set_to_none) {}

  // Throws FallBack where that is not all there is to do.
  void Add(const at::Tensor& param) {
    const at::Tensor& grad = OptimGroup::Gradient(param);
    if (!grad.defined()) return;
    elements_ += grad.numel();
    if (set_to_none_) return held_.push_back(param);
    Require(CheckPlain(grad));
    Require(grad.is_non_overlapping_and_dense(), Reason::kLayout);
    Require(!grad.requires_grad(), Reason::kGradMode);
    held_.push_back(grad);
  }

  void Reset() const {
    if (set_to_none_) {
      Drop();
    } else {
      Clear();
    }
  }

 private:
  // Other code may run when a gradient goes, and take parameters away.
  void Drop() const {
    const auto start = std::chrono::steady_clock::now();
    for (const at::Tensor& param : held_) param.unsafeGetTensorImpl()->mutable_grad().reset();
    const auto duration = std::chrono::steady_clock::now() - start;
    counters.CountCall(elements_,
                       std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  }

  void Clear() const {
    std::vector<optim::ClearedBlock> blocks;
    blocks.reserve(held_.size());
    for (const at::Tensor& grad : held_) {
      blocks.push_back({static_cast<std::byte*>(grad.mutable_data_ptr()),
                        static_cast<std::int64_t>(grad.nbytes())});
    }
    RunKernel(counters, "kwker::zero_grad", elements_,
              [&] { optim::Clear(blocks, TorchThreads()); });
    for (const at::Tensor& grad : held_) BumpVersion(grad, 1);
  }

  const bool set_to_none_;
  std::vector<at::Tensor> held_;  // gradients, or parameters whose gradients go
  std::int64_t elements_ = 0;
};

// What torch's function shows to its profiler, once.
class Shown {
 public:
  explicit Shown(PyObject* name) {
    if (record_.isActive()) record_.before(py::cast<std::string>(py::handle(name)));
  }

 private:
  at::RecordFunction record_{at::RecordScope::USER_SCOPE};
};

void OfOptimizer(PyObject* self, bool set_to_none) {
  static PyObject *const groups_name = Interned("param_groups"),
                         *const defaults_name = Interned("defaults"),
                         *const shown_name = Interned("_zero_grad_profile_name"),
                         *const params_name = Interned("params");
  Require(CheckModes());
  PyObject* groups = OwnAttribute(self, groups_name, Reason::kPatched);
  PyObject* defaults = OwnAttribute(self, defaults_name, Reason::kPatched);
  PyObject* shown = OwnAttribute(self, shown_name, Reason::kPatched);
  Require(groups != nullptr && PyList_CheckExact(groups), Reason::kArguments);
  Require(defaults != nullptr && PyDict_CheckExact(defaults), Reason::kArguments);
  Require(shown != nullptr && PyUnicode_CheckExact(shown), Reason::kArguments);
  Gradients gradients(set_to_none);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups); ++i) {
    PyObject* group = PyList_GET_ITEM(groups, i);
    Require(PyDict_CheckExact(group), Reason::kArguments);
    PyObject* params = PyDict_GetItemWithError(group, params_name);
    Require(params != nullptr && PyList_CheckExact(params), Reason::kArguments);
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(params); ++k) {
      gradients.Add(OptimGroup::Exact(PyList_GET_ITEM(params, k)));
    }
  }
  const Shown scope(shown);
  gradients.Reset();
}

void OfModule(PyObject* self, bool set_to_none) {
  static PyObject *const replica_name = Interned("_is_replica"), *const getattr_name =
                                                                     Interned("__getattr__");
  static PyObject* const module_class =
      py::object(py::module_::import("torch.nn").attr("Module")).release().ptr();  // for ever
  Require(CheckModes());
  // One of its own is asked for the mark, and may have something to say.
  Require(_PyType_Lookup(Py_TYPE(self), getattr_name) ==
              _PyType_Lookup(reinterpret_cast<PyTypeObject*>(module_class), getattr_name),
          Reason::kModule);
  Require(OwnAttribute(self, replica_name) == nullptr, Reason::kModule);  // torch warns
  Gradients gradients(set_to_none);
  for (const at::Tensor& param : ModuleTree(self).Parameters()) gradients.Add(param);
  gradients.Reset();
}

template <void kOf(PyObject* self, bool set_to_none)>
bool Entry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"self", "set_to_none?"}, 2);
  const auto arguments = signature.Sort(call);
  if (!arguments || !counters.IsOn()) return false;
  const Reason reason = ReasonOf([&] {
    PyObject* set_to_none = (*arguments)[1];
    Require(set_to_none == nullptr || PyBool_Check(set_to_none), Reason::kArguments);
    kOf((*arguments)[0], set_to_none != Py_False);
    return Reason::kNone;
  });
  return Served(counters, reason, result);
}

}  // namespace

void BindZeroGrad(py::module_& m) {
  m.attr("zero_grad_counters") = py::cast(&counters, py::return_value_policy::reference);
  m.def("optimizer_zero_grad_hook",
        [](const py::object& original) { return MakeHook(original, &Entry<&OfOptimizer>); });
  m.def("module_zero_grad_hook",
        [](const py::object& original) { return MakeHook(original, &Entry<&OfModule>); });
}

}  // namespace kwker::pyext

#include "pyext/averaging.h"

#include <ATen/ops/copy.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/optim/memory.h"
#include "kernels/optim/steps.h"
#include "pyext/arguments.h"
#include "pyext/averaging_rule.h"
#include "pyext/module_tree.h"
#include "pyext/optim_group.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {
namespace {

namespace py = pybind11;
using Tensors = std::vector<at::Tensor>;

Counters counters("optim.ema");
Loop loop;
PyObject* module_getattr = nullptr;

// Tensors to write, and for each one to read.
class Pairs {
 public:
  // As many as both have, or all of equally many.
  enum class Length { kShorter, kSame };

  Pairs(Tensors to, Tensors from, Length length) : to_(std::move(to)), from_(std::move(from)) {
    Require(length == Length::kShorter || to_.size() == from_.size(), Reason::kArguments);
    const std::size_t size = std::min(to_.size(), from_.size());
    to_.resize(size);
    from_.resize(size);
  }

  void Check(AliasCheck* alias) const {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const at::Tensor &to = to_[i], &from = from_[i];
      for (const at::Tensor& tensor : {to, from}) {
        Require(CheckPlain(tensor));
        Require(tensor.is_non_overlapping_and_dense(), Reason::kLayout);
      }
      Require(CheckSameLayout(to, from));
      const auto bytes = static_cast<std::int64_t>(to.nbytes());
      alias->Write(to.const_data_ptr(), bytes);
      alias->Read(from.const_data_ptr(), bytes);
    }
  }

  std::int64_t Elements() const {
    std::int64_t elements = 0;
    for (const at::Tensor& tensor : to_) elements += tensor.numel();
    return elements;
  }

  // For average(to, from).
  template <typename T>
  std::vector<optim::AverageTensor<T>> OfType() const {
    std::vector<optim::AverageTensor<T>> tensors;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (to_[i].scalar_type() != c10::CppTypeToScalarType<T>::value) continue;
      tensors.push_back(
          {to_[i].mutable_data_ptr<T>(), from_[i].const_data_ptr<T>(), to_[i].numel()});
    }
    return tensors;
  }

  // Whether there are others than float32 and float64, all of them integers.
  bool HasIntegers() const {
    bool found = false;
    for (const at::Tensor& tensor : to_) {
      const at::ScalarType dtype = tensor.scalar_type();
      if (dtype == at::kFloat || dtype == at::kDouble) continue;
      Require(at::isIntegralType(dtype, /*includeBool=*/false), Reason::kDtype);
      found = true;
    }
    return found;
  }

  void AverageIntegers(const AveragingRule& rule, const at::Tensor& n_averaged) const {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (!at::isIntegralType(to_[i].scalar_type(), false)) continue;
      to_[i].copy_(rule.OfIntegers(to_[i], from_[i], n_averaged));
    }
  }

  void BumpFloats() const {
    for (const at::Tensor& tensor : to_) {
      if (tensor.is_floating_point()) BumpVersion(tensor, 1);
    }
  }

  void Copy() const {
    std::vector<optim::CopiedBlock> blocks;
    for (std::size_t i = 0; i < to_.size(); ++i) {
      blocks.push_back({static_cast<std::byte*>(to_[i].mutable_data_ptr()),
                        static_cast<const std::byte*>(from_[i].const_data_ptr()),
                        static_cast<std::int64_t>(to_[i].nbytes())});
    }
    optim::Copy(blocks, TorchThreads());
  }

  void BumpAll() const {
    for (const at::Tensor& tensor : to_) BumpVersion(tensor, 1);
  }

 private:
  Tensors to_, from_;
};

// An AveragedModel's attributes, read without running code of its class.
struct AveragedModel {
  PyObject *module, *avg_fn, *multi_avg_fn;
  at::Tensor n_averaged;
  bool use_buffers;

  explicit AveragedModel(PyObject* self) {
    static PyObject *const
        module_name = Interned("module"),
        *const n_averaged_name = Interned("n_averaged"), *const avg_fn_name = Interned("avg_fn"),
        *const multi_avg_fn_name = Interned("multi_avg_fn"),
        *const use_buffers_name = Interned("use_buffers"),
        *const modules_name = Interned("_modules"), *const buffers_name = Interned("_buffers"),
        *const getattr_name = Interned("__getattr__");
    Require(_PyType_Lookup(Py_TYPE(self), getattr_name) == module_getattr, Reason::kModule);
    for (PyObject* name : {module_name, n_averaged_name}) {
      Require(OwnAttribute(self, name) == nullptr, Reason::kModule);
    }
    module = MemberOf(OwnAttribute(self, modules_name), module_name);
    PyObject* number = MemberOf(OwnAttribute(self, buffers_name), n_averaged_name);
    avg_fn = OwnAttribute(self, avg_fn_name);
    multi_avg_fn = OwnAttribute(self, multi_avg_fn_name);
    PyObject* flag = OwnAttribute(self, use_buffers_name);
    Require(avg_fn != nullptr && multi_avg_fn != nullptr, Reason::kAveraging);
    Require(flag == Py_True || flag == Py_False, Reason::kArguments);
    use_buffers = flag == Py_True;
    Reason reason = Reason::kNone;
    const at::Tensor* tensor = ExactTensor(number, &reason);
    Require(reason);
    n_averaged = *tensor;
    Require(CheckPlain(n_averaged));
    Require(n_averaged.scalar_type() == at::kLong && n_averaged.dim() == 0, Reason::kDtype);
  }
};

Tensors ParametersAndBuffers(const ModuleTree& tree) {
  Tensors tensors = tree.Parameters();
  for (at::Tensor& buffer : tree.Buffers()) tensors.push_back(std::move(buffer));
  return tensors;
}

Pairs Averaged(const AveragedModel& averaged, PyObject* self, const ModuleTree& ours,
               const ModuleTree& theirs) {
  if (averaged.use_buffers) {
    return {ParametersAndBuffers(ours), ParametersAndBuffers(theirs), Pairs::Length::kShorter};
  }
  return {ModuleTree(self).Parameters(), theirs.Parameters(), Pairs::Length::kShorter};
}

void Update(PyObject* self, PyObject* model) {
  Require(loop.IsInPlace(), Reason::kPatched);
  Require(CheckModes());
  const AveragedModel averaged(self);
  const AveragingRule rule(averaged.avg_fn, averaged.multi_avg_fn);
  const std::int64_t count = *averaged.n_averaged.const_data_ptr<std::int64_t>();
  Require(count >= 0, Reason::kArguments);

  const ModuleTree ours(averaged.module), theirs(model);
  const Pairs average = Averaged(averaged, self, ours, theirs);
  const Pairs copied = averaged.use_buffers
                           ? Pairs({}, {}, Pairs::Length::kSame)
                           : Pairs(ours.Buffers(), theirs.Buffers(), Pairs::Length::kSame);
  AliasCheck alias;
  average.Check(&alias);
  copied.Check(&alias);
  alias.Write(averaged.n_averaged.const_data_ptr(), sizeof(std::int64_t));
  Require(!alias.Overlaps(), Reason::kAliasing);
  const std::int64_t elements = average.Elements();
  Require(CheckThreads(elements));

  if (count == 0) {
    RunKernel(counters, "kwker::ema", elements, [&] {
      average.Copy();
      copied.Copy();
    });
    average.BumpAll();
    copied.BumpAll();
    return;
  }
  const bool has_integers = average.HasIntegers();
  Require(!has_integers || rule.TakesIntegers(), Reason::kDtype);
  const auto floats = average.OfType<float>();
  const auto doubles = average.OfType<double>();
  const auto float_scalars = rule.Scalars<float>(count);
  const auto double_scalars = rule.Scalars<double>(count);
  RunKernel(counters, "kwker::ema", elements, [&] {
    optim::Step(std::span<const optim::AverageTensor<float>>(floats), float_scalars, TorchIsa(),
                TorchThreads());
    optim::Step(std::span<const optim::AverageTensor<double>>(doubles), double_scalars, TorchIsa(),
                TorchThreads());
    copied.Copy();
  });
  average.BumpFloats();
  if (has_integers) average.AverageIntegers(rule, averaged.n_averaged);
  copied.BumpAll();
}

// self.n_averaged += 1; null with an error set.
PyObject* CountUpdate(PyObject* self) {
  static PyObject *const name = Interned("n_averaged"), *const one = PyLong_FromLong(1);
  const auto before = py::reinterpret_steal<py::object>(PyObject_GetAttr(self, name));
  if (!before) return nullptr;
  const auto after = py::reinterpret_steal<py::object>(PyNumber_InPlaceAdd(before.ptr(), one));
  if (!after || PyObject_SetAttr(self, name, after.ptr()) != 0) return nullptr;
  return Py_NewRef(Py_None);
}

bool Entry(const Call& call, PyObject** result) {
  static const Signature<2> signature({"self", "model"}, 2);
  const auto arguments = signature.Sort(call);
  if (!arguments || !counters.IsOn()) return false;
  const Reason reason = ReasonOf([&] {
    Update((*arguments)[0], (*arguments)[1]);
    return Reason::kNone;
  });
  if (reason != Reason::kNone) {
    counters.CountFallback(reason);
    return false;
  }
  *result = CountUpdate((*arguments)[0]);
  return true;
}

}  // namespace

void SetAveraging(py::dict module, const py::dict& functions, const py::object& get_attribute,
                  const py::object& without_gradients, const py::dict& averaging) {
  loop.Set(std::move(module), functions);
  module_getattr = get_attribute.inc_ref().ptr();
  AveragingRule::SetFunctions(without_gradients, averaging);
}

void BindAveraging(py::module_& m) {
  m.attr("ema_counters") = py::cast(&counters, py::return_value_policy::reference);
  m.def("set_module_methods", &SetModuleMethods);
  m.def("set_averaging", &SetAveraging);
  m.def("averaging_hook", [](const py::object& original) { return MakeHook(original, &Entry); });
}

}  // namespace kwker::pyext

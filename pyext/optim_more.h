// The optimizers beside Adam and SGD: how their entries are made, and the list of them.
//
// Each is a Rule, a struct with
//
//   static constexpr const char* kName               "rmsprop"
//   static constexpr const char* kFeature            "optim.rmsprop"
//   static constexpr std::array kState               {"square_avg", ...}: keys of a parameter's
//                                                    state, in the order of the lists
//   static const Signature<N>& GetSignature()        of torch.optim.rmsprop.rmsprop: parameters,
//                                                    gradients, the state's lists, options
//   static OptimLists GetLists(const std::array<PyObject*, N>& options, const OptimSource& from)
//   template <typename T>  // the parameters' dtype
//   static void Step(options, OptimLists&, Counters&, Mode)
//
// Both throw FallBack before they have changed anything. Where a step's lists and options
// come from, a call or a group of the optimizer, they do not know.
#pragma once

#include <algorithm>
#include <array>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/optim_group.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_loop.h"
#include "pyext/optim_source.h"

namespace kwker::pyext {

struct MoreOptimizer {
  const char* name;
  Counters* counters;
  Loop* loop;
  FastPath entry;        // in place of the functional form
  FastPath group_entry;  // in place of _init_group(): the whole step, where all is ordinary
  FastPath explain;      // why the first would decline, as a str, "" if it would not
};

// What makes torch's loop compute otherwise.
inline void RequirePlain(PyObject* capturable, PyObject* differentiable, PyObject* has_complex) {
  Require(IsFalse(capturable), Reason::kCapturable);
  Require(IsFalse(differentiable), Reason::kDifferentiable);
  Require(IsFalse(has_complex), Reason::kComplex);
}

// Whether a value, or null, is one that torch's functions only look at when there are tensors.
inline bool IsPlainOption(PyObject* value) {
  return IsFlag(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value);
}

template <class Rule>
class EntryOf {
 public:
  static MoreOptimizer Make() {
    return {Rule::kName, &counters_, &loop_, &Entry, &GroupEntry, &Explain};
  }

 private:
  static constexpr std::size_t kLists = 2 + Rule::kState.size();

  template <class Arguments>
  static Reason Try(const Arguments& options, const OptimSource& from, Mode mode) {
    return ReasonOf([&] {
      Require(CheckThread());
      OptimLists lists = Rule::GetLists(options, from);
      lists.IsFloat() ? Rule::template Step<float>(options, lists, counters_, mode)
                      : Rule::template Step<double>(options, lists, counters_, mode);
      return Reason::kNone;
    });
  }

  template <class Arguments>
  static Reason TryCall(const Arguments& arguments, Mode mode) {
    if (!loop_.IsInPlace()) return Reason::kPatched;
    return Try(arguments, ArgumentSource(arguments), mode);
  }

  // No gradients, or GroupEntry() has done the step: torch's function does nothing.
  template <class Arguments>
  static bool IsEmpty(const Arguments& arguments) {
    const auto options = arguments.begin() + kLists;
    return std::all_of(arguments.begin(), options, IsEmptyList) &&
           std::all_of(options, arguments.end(), IsPlainOption) && loop_.IsInPlace();
  }

  static bool Entry(const Call& call, PyObject** result) {
    const auto arguments = Rule::GetSignature().Sort(call);
    if (!arguments || !counters_.IsOn()) return false;
    if (IsEmptyList((*arguments)[0])) {
      if (!IsEmpty(*arguments)) return false;
      *result = Py_NewRef(Py_None);
      return true;
    }
    return Served(counters_, TryCall(*arguments, Mode::kServe), result);
  }

  static bool Explain(const Call& call, PyObject** result) {
    const auto arguments = Rule::GetSignature().Sort(call);
    return Explained(arguments ? TryCall(*arguments, Mode::kExplain) : Reason::kArguments, result);
  }

  // Nothing is counted where it declines: the functional form is then called with what
  // torch's own collecting finds, and says why.
  static Reason TryGroup(PyObject* optimizer, PyObject* group_dict) {
    static const std::array<PyObject*, Rule::kState.size()> keys = [] {
      std::array<PyObject*, Rule::kState.size()> interned;
      std::transform(Rule::kState.begin(), Rule::kState.end(), interned.begin(), Interned);
      return interned;
    }();
    return ReasonOf([&] {
      const OptimGroup group(optimizer, group_dict);
      const auto& names = Rule::GetSignature().names();
      std::array<PyObject*, std::tuple_size_v<std::decay_t<decltype(names)>>> options = {};
      for (std::size_t i = kLists; i < names.size(); ++i) options[i] = group.Argument(names[i]);
      return Try(options, GroupSource(group, keys), Mode::kServe);
    });
  }

  static bool GroupEntry(const Call& call, PyObject** result) {
    if (!IsInitGroup(call, kLists) || !loop_.IsCalledByStep() || !counters_.IsOn()) return false;
    if (TryGroup(call.args[0], call.args[1]) != Reason::kNone) return false;
    // No complex parameters, and for some no sparse gradients.
    if constexpr (requires { Rule::kInitGroupTellsOfSparse; }) {
      *result = PyTuple_Pack(2, Py_False, Py_False);
    } else {
      *result = Py_NewRef(Py_False);
    }
    return true;
  }

  static inline Counters counters_{Rule::kFeature};
  static inline Loop loop_;
};

MoreOptimizer RmspropOptimizer();
MoreOptimizer AdagradOptimizer();
MoreOptimizer NadamOptimizer();
MoreOptimizer RadamOptimizer();
MoreOptimizer AdamaxOptimizer();
MoreOptimizer AdadeltaOptimizer();
MoreOptimizer AsgdOptimizer();

void BindMoreOptimizers(pybind11::module_& m);

}  // namespace kwker::pyext

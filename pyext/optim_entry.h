// How the optimizers' entries are made, and the list of them.
//
// Each is a Rule, a struct with
//
//   static constexpr const char* kName          "adam": torch.optim.adam.adam is its functional
//   form static constexpr std::array kState          {"exp_avg", ...}: keys of a parameter's state,
//   in
//                                               the order of the lists
//   static const Signature<N>& GetSignature()   of the functional form: parameters, gradients, the
//                                               state's lists, options
//   static std::vector<Counters*> AllCounters()
//   static Counters& GetCounters(const std::array<PyObject*, N>& options)
//   static Reason Serve(options, const OptimSource& from, Mode)
//
// Where a step's lists and options come from, a call or a group of the optimizer, it does not
// know. Serve returns a reason or throws FallBack before it has changed anything.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/optim_group.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_loop.h"
#include "pyext/optim_source.h"

namespace kwker::pyext {

struct OptimEntry {
  const char* name;
  std::vector<Counters*> counters;
  Loop* loop;
  FastPath entry;        // in place of the functional form
  FastPath group_entry;  // in place of _init_group(): the whole step, where all is ordinary
  FastPath explain;      // why the first would decline, as a str, "" if it would not
};

// Whether a value, or null, is one that torch's functions only look at when there are tensors.
inline bool IsPlainOption(PyObject* value) {
  return IsFlag(value) || PyFloat_CheckExact(value) || PyLong_CheckExact(value);
}

template <class Rule>
class EntryOf {
 public:
  static OptimEntry Make() {
    return {Rule::kName, Rule::AllCounters(), &loop_, &Entry, &GroupEntry, &Explain};
  }

 private:
  static constexpr std::size_t kLists = 2 + Rule::kState.size();

  using Options = std::decay_t<decltype(Rule::GetSignature().names())>;  // an array

  static Reason TryCall(const Options& arguments, Mode mode) {
    return ReasonOf([&] {
      if (!loop_.IsInPlace()) return Reason::kPatched;
      return Rule::Serve(arguments, ArgumentSource(arguments), mode);
    });
  }

  // No gradients, or GroupEntry() has done the step: torch's function does nothing.
  static bool IsEmpty(const Options& arguments) {
    const auto options = arguments.begin() + kLists;
    return std::all_of(arguments.begin(), options, IsEmptyList) &&
           std::all_of(options, arguments.end(), IsPlainOption) && loop_.IsInPlace();
  }

  static bool Entry(const Call& call, PyObject** result) {
    const auto arguments = Rule::GetSignature().Sort(call);
    if (!arguments) return false;
    Counters& counters = Rule::GetCounters(*arguments);
    if (!counters.IsOn()) return false;
    if (IsEmptyList((*arguments)[0])) {
      if (!IsEmpty(*arguments)) return false;
      *result = Py_NewRef(Py_None);
      return true;
    }
    return Served(counters, TryCall(*arguments, Mode::kServe), result);
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
      const Options& names = Rule::GetSignature().names();
      Options options = {};
      for (std::size_t i = kLists; i < names.size(); ++i) options[i] = group.Argument(names[i]);
      if (!Rule::GetCounters(options).IsOn(/*counts=*/false)) return Reason::kArguments;
      return Rule::Serve(options, GroupSource(group, keys), Mode::kServe);
    });
  }

  static bool GroupEntry(const Call& call, PyObject** result) {
    if (!IsInitGroup(call, kLists) || !loop_.IsCalledByStep()) return false;
    if (TryGroup(call.args[0], call.args[1]) != Reason::kNone) return false;
    // No complex parameters, and for some no sparse gradients.
    if constexpr (requires { Rule::kInitGroupTellsOfSparse; }) {
      *result = PyTuple_Pack(2, Py_False, Py_False);
    } else {
      *result = Py_NewRef(Py_False);
    }
    return true;
  }

  static inline Loop loop_;
};

OptimEntry AdamEntry();
OptimEntry SgdEntry();
OptimEntry RmspropEntry();
OptimEntry AdagradEntry();
OptimEntry NadamEntry();
OptimEntry RadamEntry();
OptimEntry AdamaxEntry();
OptimEntry AdadeltaEntry();
OptimEntry AsgdEntry();
OptimEntry RpropEntry();

void BindOptimizers(pybind11::module_& m);

}  // namespace kwker::pyext

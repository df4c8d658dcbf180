// A Rule of optim_entry.h from what most optimizers are described by, a struct with kName, kState,
// GetSignature() and
//
//   static constexpr const char* kFeature            "optim.rmsprop"
//   static OptimLists GetLists(const std::array<PyObject*, N>& options, const OptimSource& from)
//   template <typename T>  // the parameters' dtype
//   static void Step(options, OptimLists&, Counters&, Mode)
//
// Both throw FallBack before they have changed anything.
#pragma once

#include <vector>

#include "pyext/arguments.h"
#include "pyext/optim_entry.h"
#include "pyext/optim_lists.h"

namespace kwker::pyext {

// What makes torch's loop compute otherwise.
inline void RequirePlain(PyObject* capturable, PyObject* differentiable, PyObject* has_complex) {
  Require(IsFalse(capturable), Reason::kCapturable);
  Require(IsFalse(differentiable), Reason::kDifferentiable);
  Require(IsFalse(has_complex), Reason::kComplex);
}

template <class Lists>
struct RuleOf : Lists {
  static std::vector<Counters*> AllCounters() { return {&counters}; }

  template <class Options>
  static Counters& GetCounters(const Options&) {
    return counters;
  }

  template <class Options>
  static Reason Serve(const Options& options, const OptimSource& from, Mode mode) {
    Require(CheckThread());
    OptimLists lists = Lists::GetLists(options, from);
    lists.IsFloat() ? Lists::template Step<float>(options, lists, counters, mode)
                    : Lists::template Step<double>(options, lists, counters, mode);
    return Reason::kNone;
  }

  static inline Counters counters{Lists::kFeature};
};

}  // namespace kwker::pyext

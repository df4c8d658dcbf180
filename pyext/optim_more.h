// The optimizers beside Adam and SGD: how their entries are made, and the list of them.
//
// Each is a Rule, a struct with
//
//   static constexpr const char* kName               "rmsprop"
//   static constexpr const char* kFeature            "optim.rmsprop"
//   static const Signature<N>& GetSignature()        of torch.optim.rmsprop.rmsprop
//   static OptimLists GetLists(const std::array<PyObject*, N>& arguments)
//   template <typename T>  // the parameters' dtype
//   static void Step(arguments, OptimLists&, Counters&, Mode)
//
// Both throw FallBack before they have changed anything.
#pragma once

#include <span>

#include "pyext/arguments.h"
#include "pyext/optim_common.h"
#include "pyext/optim_group.h"
#include "pyext/optim_lists.h"
#include "pyext/optim_loop.h"

namespace kwker::pyext {

struct MoreOptimizer {
  const char* name;
  Counters* counters;
  Loop* loop;
  FastPath entry;    // in place of the functional form
  FastPath explain;  // why that would decline, as a str, "" if it would not
};

// What makes torch's loop compute otherwise.
inline void RequirePlain(PyObject* capturable, PyObject* differentiable, PyObject* has_complex) {
  Require(IsFalse(capturable), Reason::kCapturable);
  Require(IsFalse(differentiable), Reason::kDifferentiable);
  Require(IsFalse(has_complex), Reason::kComplex);
}

template <class Rule>
class EntryOf {
 public:
  static MoreOptimizer Make() { return {Rule::kName, &counters_, &loop_, &Entry, &Explain}; }

 private:
  template <class Arguments>
  static Reason Try(const Arguments& arguments, Mode mode) {
    return ReasonOf([&] {
      Require(loop_.IsInPlace(), Reason::kPatched);
      Require(CheckThread());
      OptimLists lists = Rule::GetLists(arguments);
      lists.IsFloat() ? Rule::template Step<float>(arguments, lists, counters_, mode)
                      : Rule::template Step<double>(arguments, lists, counters_, mode);
      return Reason::kNone;
    });
  }

  static bool Entry(const Call& call, PyObject** result) {
    const auto arguments = Rule::GetSignature().Sort(call);
    if (!arguments || !counters_.IsOn()) return false;
    if (IsEmptyList((*arguments)[0])) return false;  // no gradients: nothing is done or counted
    return Served(counters_, Try(*arguments, Mode::kServe), result);
  }

  static bool Explain(const Call& call, PyObject** result) {
    const auto arguments = Rule::GetSignature().Sort(call);
    return Explained(arguments ? Try(*arguments, Mode::kExplain) : Reason::kArguments, result);
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

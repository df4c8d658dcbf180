// What the entries of colour adjustments share.
#pragma once

#include <torch/csrc/utils/pybind.h>

#include <cstddef>

#include "pyext/arguments.h"
#include "pyext/hook.h"
#include "pyext/optim_common.h"
#include "pyext/vision_entries.h"

namespace kwker::pyext {

// An entry of vision.color: make(arguments) returns the call's result, or throws FallBack, of
// which the reason is counted.
template <std::size_t N, typename Make>
bool ServeColor(const Signature<N>& signature, const Call& call, const Make& make,
                PyObject** result) {
  const auto arguments = signature.Sort(call);
  if (!arguments || !color_counters.IsOn()) return false;
  const Reason reason = ReasonOf([&] {
    *result = make(*arguments);
    return Reason::kNone;
  });
  if (reason == Reason::kNone) return true;
  color_counters.CountFallback(reason);
  return false;
}

}  // namespace kwker::pyext

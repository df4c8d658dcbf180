// Finds out why the sides differ: makes runs whose values are kept, and runs with
// features off.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "audit/explanation.h"
#include "audit/run.h"
#include "audit/verdict.h"

namespace kwker::audit {

struct SearchHooks {
  // Carries a run out; its number is given to it here. May throw RunError.
  std::function<RunOutcome(RunRequest)> run;
  // Why no other run of this side may be begun ("the time is over"); empty: it may.
  std::function<std::string(Side)> why_not;
};

// `runs` are all of an audit whose outputs are different (`verdict`), be it that the
// script fails with Kwker only. `with_kwker`: whether side B has it.
Explanation ExplainDifference(std::span<const RunOutcome> runs, const OutputsVerdict& verdict,
                              bool with_kwker, const SearchHooks& hooks);

}  // namespace kwker::audit

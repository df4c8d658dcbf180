// One audit from its first run to its report.
#pragma once

#include <functional>

#include "audit/progress.h"
#include "audit/report.h"
#include "audit/run.h"
#include "audit/setup.h"

namespace kwker::audit {

struct SessionHooks {
  Progress* progress = nullptr;  // not owned; may be null
  // Called after every finished pair with what is known by then (ending
  // kRunning), so that a report can be written early. An exception it throws
  // ends the audit and reaches RunAudit's caller.
  std::function<void(const Report&)> after_pair;
  // Asked between runs: has the user asked to stop? May be empty.
  std::function<bool()> interrupted;
  // A clock, in seconds; empty: the system's steady one.
  std::function<double()> seconds;
};

// Runs the warm-ups and then pair after pair (audit/schedule.h), as many as the
// options ask for (audit/pair_plan.h), through `run` and returns the final report,
// whatever happened:
// - a run that ends as kInterrupted, or hooks.interrupted(): kInterrupted;
// - a run without Kwker that fails: kScriptFailed;
// - a run with Kwker that fails: the script is run once more without. It passes:
//   kKwkerFailed. It fails too (it stumbles over files of an earlier run, say):
//   kScriptFailed;
// - `run` throws RunError: kCannotRun.
// Where the sides differ in too few runs to be sure (JudgeOutputs), a few more,
// which count for the outputs only, are made at the end. Where they do differ, or
// the script fails with Kwker only, further runs find out why (difference_search.h),
// within --max-time or else kPatience more.
// The audit ends at the first of these; all runs made are in the report.
Report RunAudit(const Setup& setup, const RunFunction& run, const SessionHooks& hooks);

}  // namespace kwker::audit

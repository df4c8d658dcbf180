// Everything an audit found, ready to be written in any form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/explanation.h"
#include "audit/gates.h"
#include "audit/pair_plan.h"
#include "audit/pairs.h"
#include "audit/run.h"
#include "audit/setup.h"
#include "audit/statistics.h"
#include "audit/verdict.h"

namespace kwker::audit {

std::string_view Name(Basis basis);  // "script", "process"

// Medians over one side's runs of the finished pairs.
struct SideSummary {
  int runs = 0;
  std::optional<double> wall_s;          // by the report's basis
  std::optional<double> cpu_s;           // user and system, by the report's basis
  std::optional<double> process_wall_s;  // whole process
  std::optional<double> process_cpu_s;
  std::optional<std::int64_t> max_rss_bytes;
};

struct Report {
  Setup setup;
  Ending ending = Ending::kRunning;
  std::string error;             // with kCannotRun: one line
  std::optional<Stop> stop;      // why there are no more pairs; absent: it did not get there
  std::vector<RunOutcome> runs;  // all, in the order made

  // Whose clocks speedup and cpu_speedup are of: the script's, or the process's
  // if a run of a finished pair has none of its own.
  Basis basis = Basis::kScript;
  RatioEstimate speedup;      // wall time
  RatioEstimate cpu_speedup;  // user and system CPU time
  RatioEstimate process_speedup;
  SideSummary without, with;
  std::optional<double> memory_ratio;  // peak with over without; absent: no finished pair

  Speed speed = Speed::kInconclusive;
  OutputsVerdict outputs;
  Printed printed = Printed::kUnknown;
  std::vector<FeatureCounts> features;     // of the last run with Kwker that has a result
  std::vector<std::string> warnings;       // one sentence each
  std::optional<Explanation> explanation;  // of outputs that are different
  std::vector<GateResult> gates;           // undecided while running
  ExitCode exit_code = kExitOk;            // what the program is to end with; nothing while running
};

// What else an audit knows when it ends; members as in Report.
struct Found {
  std::string error;
  std::optional<Stop> stop = {};
  std::optional<Explanation> explanation = {};
};

// Works everything out from what was run.
Report MakeReport(const Setup& setup, std::vector<RunOutcome> runs, Ending ending,
                  Found found = {});

// The features without which nothing differs; empty: not known, or there are none.
std::vector<std::string> Causes(const Report& report);

// How the number of pairs comes about under these options.
PairsBy HowMany(const Options& options);

// The run because of which the audit ended, with kScriptFailed and kKwkerFailed.
const RunOutcome* FailedRun(const Report& report);

}  // namespace kwker::audit

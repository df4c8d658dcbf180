#include "audit/report.h"

#include <algorithm>
#include <utility>

#include "audit/speed.h"
#include "audit/warnings.h"

namespace kwker::audit {
namespace {

std::optional<double> MedianOf(const std::vector<const RunOutcome*>& runs, Clock clock,
                               Basis basis) {
  std::vector<double> values;
  for (const RunOutcome* run : runs) {
    if (const auto value = clock(*run, basis)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return Median(values);
}

SideSummary Summarize(const std::vector<const RunOutcome*>& runs, Basis basis) {
  SideSummary summary;
  summary.runs = static_cast<int>(runs.size());
  summary.wall_s = MedianOf(runs, Wall, basis);
  summary.cpu_s = MedianOf(runs, Cpu, basis);
  summary.process_wall_s = MedianOf(runs, Wall, Basis::kProcess);
  summary.process_cpu_s = MedianOf(runs, Cpu, Basis::kProcess);
  const auto memory = MedianOf(
      runs,
      [](const RunOutcome& run, Basis) {
        return std::optional(static_cast<double>(run.usage.max_rss_bytes));
      },
      basis);
  if (memory) summary.max_rss_bytes = static_cast<std::int64_t>(*memory);
  return summary;
}

std::vector<FeatureCounts> LastFeatures(const std::vector<RunOutcome>& runs) {
  const auto last = std::find_if(runs.rbegin(), runs.rend(), [](const RunOutcome& run) {
    return run.request.side == Side::kB && run.end == RunEnd::kOk && run.result;
  });
  return last == runs.rend() ? std::vector<FeatureCounts>{} : last->result->features;
}

void AddSpeed(Report* report) {
  const SpeedRatios speed = MeasureSpeed(report->runs, HowMany(report->setup.options));
  report->basis = speed.basis;
  report->speedup = speed.wall;
  report->cpu_speedup = speed.cpu;
  report->process_speedup = speed.process_wall;

  std::vector<const RunOutcome*> without, with;
  for (const Pair& pair : FinishedPairs(report->runs)) {
    without.push_back(pair.without);
    with.push_back(pair.with);
  }
  report->without = Summarize(without, report->basis);
  report->with = Summarize(with, report->basis);
  const double memory = static_cast<double>(report->without.max_rss_bytes.value_or(0));
  if (memory > 0 && report->with.max_rss_bytes) {
    report->memory_ratio = static_cast<double>(*report->with.max_rss_bytes) / memory;
  }
}

}  // namespace

PairsBy HowMany(const Options& options) {
  return options.max_pairs ? PairsBy::kWidth : PairsBy::kNumber;
}

std::string_view Name(Basis basis) { return basis == Basis::kScript ? "script" : "process"; }

Report MakeReport(const Setup& setup, std::vector<RunOutcome> runs, Ending ending, Found found) {
  Report report;
  report.setup = setup;
  report.ending = ending;
  report.error = std::move(found.error);
  report.stop = found.stop;
  report.explanation = std::move(found.explanation);
  report.runs = std::move(runs);
  AddSpeed(&report);
  report.speed = JudgeSpeed(report.speedup);
  report.outputs = JudgeOutputs(report.runs, setup.words);
  report.printed = JudgePrinted(report.runs);
  report.features = LastFeatures(report.runs);
  report.gates = CheckGates(setup.options.gates, report.outputs, report.speedup,
                            report.memory_ratio, setup.words);
  if (ending == Ending::kRunning) {
    for (GateResult& gate : report.gates) {
      gate.state = GateState::kUndecided;
      gate.reason = "the audit is still running";
    }
  }
  report.exit_code = ExitCodeOf(ending, report.gates);
  report.warnings = FindWarnings(report);
  return report;
}

std::vector<std::string> Causes(const Report& report) {
  if (!report.explanation || !report.explanation->culprits) return {};
  const Culprits& culprits = *report.explanation->culprits;
  return culprits.end == SearchEnd::kFeatures ? culprits.features : std::vector<std::string>{};
}

const RunOutcome* FailedRun(const Report& report) {
  const Side side = report.ending == Ending::kKwkerFailed ? Side::kB : Side::kA;
  const auto failed = std::find_if(
      report.runs.begin(), report.runs.end(),
      [side](const RunOutcome& run) { return run.request.side == side && Failed(run); });
  return failed == report.runs.end() ? nullptr : &*failed;
}

}  // namespace kwker::audit

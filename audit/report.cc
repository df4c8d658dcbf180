#include "audit/report.h"

#include <algorithm>
#include <utility>

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

void MeasureSpeed(Report* report) {
  const std::vector<Pair> pairs = FinishedPairs(report->runs);
  std::vector<double> wall = LogRatios(pairs, Wall, Basis::kScript);
  report->basis = wall.size() == pairs.size() ? Basis::kScript : Basis::kProcess;
  const std::vector<double> process_wall = LogRatios(pairs, Wall, Basis::kProcess);
  if (report->basis == Basis::kProcess) wall = process_wall;
  report->speedup = EstimateRatio(wall);
  report->process_speedup = EstimateRatio(process_wall);
  report->cpu_speedup = EstimateRatio(LogRatios(pairs, Cpu, report->basis));

  std::vector<const RunOutcome*> without, with;
  for (const Pair& pair : pairs) {
    without.push_back(pair.without);
    with.push_back(pair.with);
  }
  report->without = Summarize(without, report->basis);
  report->with = Summarize(with, report->basis);
}

}  // namespace

std::string_view Name(Basis basis) { return basis == Basis::kScript ? "script" : "process"; }

Report MakeReport(const Setup& setup, std::vector<RunOutcome> runs, Ending ending,
                  std::string error) {
  Report report;
  report.setup = setup;
  report.ending = ending;
  report.error = std::move(error);
  report.runs = std::move(runs);
  MeasureSpeed(&report);
  report.speed = JudgeSpeed(report.speedup);
  report.outputs = JudgeOutputs(report.runs);
  report.printed = JudgePrinted(report.runs);
  report.features = LastFeatures(report.runs);
  report.gates = CheckGates(setup.options.gates, report.outputs, report.speedup);
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

const RunOutcome* FailedRun(const Report& report) {
  const Side side = report.ending == Ending::kKwkerFailed ? Side::kB : Side::kA;
  const auto failed = std::find_if(
      report.runs.begin(), report.runs.end(),
      [side](const RunOutcome& run) { return run.request.side == side && Failed(run); });
  return failed == report.runs.end() ? nullptr : &*failed;
}

}  // namespace kwker::audit

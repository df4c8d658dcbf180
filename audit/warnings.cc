#include "audit/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "audit/statistics.h"

namespace kwker::audit {
namespace {

using Warnings = std::vector<std::string>;

// Runs of one side, one like the other on a quiet machine, stay well below.
constexpr double kNoisySpread = 0.05;
// With fewer runs of a side a median deviation says too little of them.
constexpr std::size_t kRobustFrom = 6;
// Iglewicz and Hoaglin, How to Detect and Handle Outliers (1993): a value is
// one if it is more than 3.5 robust standard deviations off. A deviation of less
// than 2% harms nobody.
constexpr double kOutlierDeviations = 3.5;
constexpr double kOutlierAtLeast = 0.02;
constexpr std::size_t kOutlierPairs = 4;  // with fewer nobody can tell

void FewPairs(const Report& report, Warnings* warnings) {
  if (report.ending == Ending::kCompleted && FinishedPairs(report.runs).size() == 1) {
    warnings->push_back(
        "one pair has no interval: two or more tell how sure the ratio is (--pairs)");
  }
}

void Clocks(const Report& report, Warnings* warnings) {
  const bool any_pair = !FinishedPairs(report.runs).empty();
  if (any_pair && report.basis == Basis::kProcess) {
    warnings->push_back(
        "a run ended without the script's own clocks: all times are those of the whole process, "
        "with the start of Python");
  }
  if (any_pair && !report.cpu_speedup.estimate) {
    warnings->push_back("the script's CPU time is too short to be measured");
  }
}

double Spread(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  return values.size() < kRobustFrom ? StandardDeviation(values) : RobustSpread(values);
}

void Noise(const Report& report, Warnings* warnings) {
  const std::vector<Pair> pairs = FinishedPairs(report.runs);
  std::vector<double> without, with;
  for (const Pair& pair : pairs) {
    const auto a = Wall(*pair.without, report.basis);
    const auto b = Wall(*pair.with, report.basis);
    if (!a || !b || !(*a > 0) || !(*b > 0)) return;
    without.push_back(std::log(*a));
    with.push_back(std::log(*b));
  }
  const double spread = std::max(Spread(without), Spread(with));
  if (spread > kNoisySpread) {
    warnings->push_back(
        fmt::format("noisy machine: runs of the same side spread by {:.0f}%; close other programs "
                    "or raise --pairs",
                    100 * spread));
  }
  const std::vector<double> logs = LogRatios(pairs, Wall, report.basis);
  if (logs.size() < kOutlierPairs) return;
  const double median = Median(logs);
  const double limit = std::max(kOutlierDeviations * RobustSpread(logs), kOutlierAtLeast);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (std::abs(logs[i] - median) <= limit) continue;
    warnings->push_back(fmt::format("pair {} is an outlier: {:.2f}x, the median is {:.2f}x",
                                    pairs[i].number + 1, std::exp(logs[i]), std::exp(median)));
  }
}

void Kernels(const Report& report, Warnings* warnings) {
  bool any_with = false;
  std::int64_t calls = 0;
  std::set<std::string> uneven;
  std::map<std::string, std::int64_t> first;
  bool is_first = true;
  for (const RunOutcome& run : report.runs) {
    if (!run.result || run.end != RunEnd::kOk) continue;
    if (run.request.side == Side::kA) continue;
    any_with = true;
    for (const FeatureCounts& feature : run.result->features) {
      calls += feature.calls;
      if (is_first) first[feature.name] = feature.calls;
      if (first[feature.name] != feature.calls) uneven.insert(feature.name);
    }
    is_first = false;
  }
  if (any_with && calls == 0) {
    warnings->push_back("Kwker's kernels were never called: both sides ran torch's own code");
  }
  for (const std::string& name : uneven) {
    warnings->push_back(fmt::format("{} was not called equally often in all runs", name));
  }
  for (const FeatureCounts& feature : report.features) {
    // A script that does not import a library misses nothing.
    const bool expected =
        feature.state == "on" || feature.state == "off" || feature.state == "not yet imported";
    if (!expected) {
      warnings->push_back(fmt::format("{} did not take part: {}", feature.name, feature.state));
    }
  }
}

// The sides should differ in nothing but the kernels.
void Sides(const Report& report, Warnings* warnings) {
  std::set<std::string> torches;
  for (const RunOutcome& run : report.runs) {
    if (!run.result || run.result->torch_version.empty()) continue;
    torches.insert(fmt::format("{} {} with {} threads", run.result->torch_version,
                               run.result->capability, run.result->threads));
  }
  if (torches.size() > 1) {
    warnings->push_back(
        fmt::format("torch was not the same in all runs: {}", fmt::join(torches, "; ")));
  }
}

void Outputs(const Report& report, Warnings* warnings) {
  std::map<std::string, std::vector<int>> runs_without;  // by reason
  for (const RunOutcome& run : report.runs) {
    if (run.end != RunEnd::kOk || run.result) continue;
    runs_without[run.result_error.empty() ? "os._exit, exec or a crash at exit" : run.result_error]
        .push_back(run.request.order + 1);
  }
  for (const auto& [reason, runs] : runs_without) {
    warnings->push_back(runs.size() == 1 ? fmt::format("run {} left no result: {}", runs[0], reason)
                                         : fmt::format("{} of {} runs left no result: {}",
                                                       runs.size(), report.runs.size(), reason));
  }
  if (report.printed == Printed::kDifferent) {
    warnings->push_back("the printed text differs between the sides (it does not decide)");
  }
}

// Its warnings, and what the verdict does not say already.
std::vector<std::string> Said(const ChildResult& result, const OutputsVerdict& verdict) {
  std::vector<std::string> said = result.warnings;
  for (const std::string& reason : result.incomplete) {
    if (verdict.reason.find(reason) != std::string::npos) continue;
    said.push_back("not all outputs were compared: " + reason);
  }
  return said;
}

// Each once, however many runs gave it.
void OfChildren(const Report& report, Warnings* warnings) {
  std::vector<std::string> order;
  std::map<std::string, int> runs;
  for (const RunOutcome& run : report.runs) {
    if (!run.result) continue;
    const std::vector<std::string> said = Said(*run.result, report.outputs);
    for (const std::string& warning : std::set<std::string>(said.begin(), said.end())) {
      if (runs[warning]++ == 0) order.push_back(warning);
    }
  }
  for (const std::string& warning : order) {
    const bool all = runs[warning] == static_cast<int>(report.runs.size());
    warnings->push_back(
        all ? warning
            : fmt::format("{} (in {} of {} runs)", warning, runs[warning], report.runs.size()));
  }
}

}  // namespace

std::vector<std::string> FindWarnings(const Report& report) {
  Warnings warnings;
  FewPairs(report, &warnings);
  Clocks(report, &warnings);
  Outputs(report, &warnings);
  Kernels(report, &warnings);
  Sides(report, &warnings);
  Noise(report, &warnings);
  OfChildren(report, &warnings);
  if (!report.setup.embedded) {
    warnings.push_back(
        "this Python has no shared libpython: the script ran in Python's own program, and its "
        "tracebacks show a few lines of kwker");
  }
  return warnings;
}

}  // namespace kwker::audit

#include "audit/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
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
// A drift below harms nobody; one that comes by chance in less than a hundredth of
// audits is one.
constexpr double kDriftAtLeast = 0.05;
constexpr double kDriftChance = 0.01;
// Shares of the machine's time below which others hardly matter.
constexpr double kOtherLoad = 0.10;
constexpr double kStolen = 0.02;
constexpr std::int64_t kSwappedBytes = 1 << 20;

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

// A machine that gets slower or faster from run to run.
void Drift(const Report& report, Warnings* warnings) {
  std::map<Side, std::vector<const RunOutcome*>> sides;
  for (const Pair& pair : FinishedPairs(report.runs)) {
    sides[Side::kA].push_back(pair.without);
    sides[Side::kB].push_back(pair.with);
  }
  std::vector<double> order, logs;
  for (const auto& [side, runs] : sides) {
    std::vector<double> own;
    for (const RunOutcome* run : runs) {
      const double wall = Wall(*run, report.basis).value_or(0);
      if (!(wall > 0)) return;
      own.push_back(std::log(wall));
      order.push_back(run->request.order);
    }
    const double mean = std::accumulate(own.begin(), own.end(), 0.0) / own.size();
    for (const double log : own) logs.push_back(log - mean);
  }
  if (order.size() < 2 * kOutlierPairs) return;
  const Trend trend = FitTrend(order, logs, 2);
  const auto [first, last] = std::minmax_element(order.begin(), order.end());
  const double change = std::exp(trend.slope * (*last - *first)) - 1;
  if (trend.p > kDriftChance || std::abs(change) < kDriftAtLeast) return;
  warnings->push_back(
      fmt::format("the machine drifted: the last runs took {:.0f}% {} than the first; the order of "
                  "the runs makes up for most of it",
                  100 * std::abs(change), change > 0 ? "longer" : "less"));
}

// Others that used the machine while the script ran.
void Others(const Report& report, Warnings* warnings) {
  std::vector<double> loads, stolen;
  int swapped = 0, throttled = 0;
  for (const RunOutcome& run : report.runs) {
    if (!run.surroundings) continue;
    loads.push_back(run.surroundings->other_load);
    stolen.push_back(run.surroundings->stolen);
    swapped += run.surroundings->swapped_bytes >= kSwappedBytes;
    throttled += run.surroundings->throttled > 0;
  }
  if (loads.empty()) return;
  if (const double load = Median(loads); load > kOtherLoad) {
    warnings->push_back(
        fmt::format("other programs used {:.0f}% of the machine's processors meanwhile: times are "
                    "truer without them",
                    100 * load));
  }
  if (const double share = Median(stolen); share > kStolen) {
    warnings->push_back(fmt::format(
        "the host of this virtual machine gave {:.0f}% of its time to others", 100 * share));
  }
  if (swapped > 0) {
    warnings->push_back(
        fmt::format("memory was swapped to disk and back in {} of {} runs: their times are the "
                    "disk's rather than the script's",
                    swapped, loads.size()));
  }
  if (throttled > 0) {
    warnings->push_back(fmt::format("a processor was slowed down for heat in {} of {} runs",
                                    throttled, loads.size()));
  }
}

// Ended before the interval was as narrow as it should be.
void Limits(const Report& report, Warnings* warnings) {
  const Options& options = report.setup.options;
  if (report.stop == Stop::kMaxTime) {
    const double limit = options.max_time_s.value_or(kPatience);
    const std::string pairs =
        options.max_pairs ? fmt::format("{} pairs", report.speedup.pairs)
                          : fmt::format("{} of {} pairs", report.speedup.pairs, options.pairs);
    warnings->push_back(
        fmt::format("the time (--max-time {}) was over after {}{}", limit, pairs,
                    options.max_pairs ? ": the interval is wider than wanted" : ""));
  }
  if (report.stop == Stop::kMaxPairs) {
    warnings->push_back(fmt::format(
        "after {} pairs (--max-pairs) the interval is still wider than {:.4g}% (--width)",
        *options.max_pairs, 100 * options.width));
  }
}

void Kernels(const Report& report, Warnings* warnings) {
  const bool any_sides = report.setup.words != SideWords();
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
  if (any_with && calls == 0 && !any_sides) {
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
  if (report.setup.words != SideWords()) return;  // or in what was asked for
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
  const bool one_passed = std::any_of(report.runs.begin(), report.runs.end(),
                                      [](const RunOutcome& run) { return run.end == RunEnd::kOk; });
  if (report.ending == Ending::kScriptFailed && one_passed && !report.setup.options.isolate) {
    warnings->push_back(
        "an earlier run passed: if it stumbles over what that wrote, --isolate gives each run its "
        "own copy of the folder");
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
  Limits(report, &warnings);
  Noise(report, &warnings);
  Drift(report, &warnings);
  Others(report, &warnings);
  OfChildren(report, &warnings);
  if (!report.setup.embedded) {
    warnings.push_back(
        "this Python has no shared libpython: the script ran in Python's own program, and its "
        "tracebacks show a few lines of kwker");
  }
  return warnings;
}

}  // namespace kwker::audit

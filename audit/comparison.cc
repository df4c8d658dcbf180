#include "audit/comparison.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "audit/utf8.h"

namespace kwker::audit {
namespace {

std::vector<double> Logs(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

std::vector<double> LogSpeedups(const PastReport& report) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < report.with.size(); ++i) {
    logs.push_back(std::log(report.without[i] / report.with[i]));
  }
  return logs;
}

void AddChanges(Comparison* comparison) {
  const PastReport &before = comparison->before, &after = comparison->after;
  if (before.with.empty() || after.with.empty()) return;
  const std::vector<double> old_logs = LogSpeedups(before), new_logs = LogSpeedups(after);
  comparison->changes = {{"speed-up", before.speedup.estimate.value_or(std::exp(Median(old_logs))),
                          after.speedup.estimate.value_or(std::exp(Median(new_logs))),
                          CompareSamples(old_logs, new_logs)},
                         {"without", Median(before.without), Median(after.without),
                          CompareSamples(Logs(before.without), Logs(after.without))},
                         {"with", Median(before.with), Median(after.with),
                          CompareSamples(Logs(before.with), Logs(after.with))}};
  comparison->speed = JudgeSpeed(comparison->changes[0].ratio);
}

void CompareDigests(Comparison* comparison) {
  const std::vector<Output>&old_outputs = comparison->before.outputs_with,
        &new_outputs = comparison->after.outputs_with;
  if (old_outputs.empty() || new_outputs.empty()) return;
  std::map<std::pair<std::string, int>, std::string> digests;
  std::map<std::string, int> times;
  for (const Output& output : old_outputs) {
    digests[{output.name, times[output.name]++}] = output.dtype + output.digest;
  }
  times.clear();
  for (const Output& output : new_outputs) {
    const auto found = digests.find({output.name, times[output.name]++});
    if (found == digests.end() || found->second != output.dtype + output.digest) {
      comparison->first_difference = output.name;
      break;
    }
    digests.erase(found);
  }
  if (comparison->first_difference.empty() && !digests.empty()) {
    comparison->first_difference = digests.begin()->first.first;
  }
  comparison->same_outputs = comparison->first_difference.empty();
}

void CompareCircumstances(Comparison* comparison) {
  for (const auto& [name, now] : comparison->after.circumstances) {
    const std::string& before = comparison->before.circumstances[name];
    if (now == before) continue;
    comparison->differing_circumstances.push_back(fmt::format(
        "{}: {}, before {}", name, now.empty() ? "?" : now, before.empty() ? "?" : before));
  }
}

std::string Describe(const FeatureCounts* feature) {
  if (feature == nullptr) return "not there";
  if (feature->state != "on") return feature->state;
  std::int64_t fallen = 0;
  for (const auto& [reason, calls] : feature->fallbacks) fallen += calls;
  return fmt::format("{} calls by Kwker, {} by torch", feature->calls, fallen);
}

void CompareFeatures(Comparison* comparison) {
  std::map<std::string, std::pair<const FeatureCounts*, const FeatureCounts*>> features;
  for (const FeatureCounts& f : comparison->before.features) features[f.name].first = &f;
  for (const FeatureCounts& f : comparison->after.features) features[f.name].second = &f;
  for (const auto& [name, both] : features) {
    const std::string before = Describe(both.first), now = Describe(both.second);
    if (before == now) continue;
    comparison->features.push_back(fmt::format("{}: {}; before {}", name, now, before));
  }
}

}  // namespace

Comparison Compare(PastReport before, PastReport after) {
  Comparison comparison;
  comparison.before = std::move(before);
  comparison.after = std::move(after);
  AddChanges(&comparison);
  CompareDigests(&comparison);
  CompareCircumstances(&comparison);
  CompareFeatures(&comparison);
  return comparison;
}

}  // namespace kwker::audit

#include "audit/report_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace kwker::audit {
namespace {

// Members in the order in which they are put in: a person may read it too.
using json = nlohmann::ordered_json;

json Number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

template <class T>
json Nullable(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json Nullable(const std::optional<double>& value) { return value ? Number(*value) : json(nullptr); }

json TextOrNull(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

const char* Letter(Side side) { return side == Side::kA ? "a" : "b"; }

const char* Name(RunEnd end) {
  switch (end) {
    case RunEnd::kOk:
    case RunEnd::kExit:
      return "exit";
    case RunEnd::kSignal:
      return "signal";
    case RunEnd::kTimeout:
      return "timeout";
    case RunEnd::kInterrupted:
      break;
  }
  return "interrupted";
}

json Ratio(const RatioEstimate& ratio) {
  json low = nullptr, high = nullptr;
  if (ratio.interval) {
    low = Number(ratio.interval->low);
    high = Number(ratio.interval->high);
  }
  return {{"estimate", Nullable(ratio.estimate)},
          {"low", low},
          {"high", high},
          {"pairs", ratio.pairs},
          {"method", TextOrNull(ratio.method)}};
}

json Summary(const SideSummary& side, const std::string& spec, const SidePython& python) {
  return {{"spec", TextOrNull(spec)},
          {"python",
           {{"executable", python.executable},
            {"version", python.version},
            {"torch_package", TextOrNull(python.torch_package)}}},
          {"runs", side.runs},
          {"wall_s", Nullable(side.wall_s)},
          {"cpu_s", Nullable(side.cpu_s)},
          {"process_wall_s", Nullable(side.process_wall_s)},
          {"process_cpu_s", Nullable(side.process_cpu_s)},
          {"max_rss_bytes", Nullable(side.max_rss_bytes)}};
}

json Features(const std::vector<FeatureCounts>& features) {
  json list = json::array();
  for (const FeatureCounts& feature : features) {
    list.push_back({{"name", feature.name},
                    {"state", feature.state},
                    {"calls", feature.calls},
                    {"fallbacks", json(feature.fallbacks)}});
  }
  return list;
}

json OutputList(const std::vector<Output>& outputs) {
  json list = json::array();
  for (const Output& output : outputs) {
    list.push_back({{"name", output.name},
                    {"dtype", output.dtype},
                    {"shape", output.shape},
                    {"bytes", output.bytes},
                    {"nans", output.nans},
                    {"digest", output.digest}});
  }
  return list;
}

json ExitStatus(const RunOutcome& run) {
  if (run.end == RunEnd::kOk) return 0;
  return run.end == RunEnd::kExit ? json(run.exit_code) : json(nullptr);
}

// "wall_s", "cpu_user_s" and "cpu_sys_s" are the script's; absent clocks null.
void AddScript(const RunOutcome& run, json* entry) {
  const bool known = run.result.has_value();
  const ChildResult script = run.result.value_or(ChildResult{});
  const auto figure = [known](double value) { return known ? Number(value) : json(nullptr); };
  json& to = *entry;
  to["wall_s"] = figure(script.wall_s);
  to["cpu_user_s"] = figure(script.cpu_user_s);
  to["cpu_sys_s"] = figure(script.cpu_sys_s);
  to["overhead_s"] = figure(script.overhead_s);
  to["install_s"] = figure(script.install_s);
  to["digest_s"] = figure(script.digest_s);
  to["torch"] = nullptr;
  if (!script.torch_version.empty()) {
    to["torch"] = {{"version", script.torch_version},
                   {"capability", script.capability},
                   {"threads", script.threads}};
  }
  to["features"] = known ? Features(script.features) : json(nullptr);
  to["warnings"] = known ? json(script.warnings) : json::array();
  to["incomplete"] = known ? json(script.incomplete) : json::array();
}

json Machine(const std::optional<Surroundings>& surroundings) {
  if (!surroundings) return nullptr;
  return {{"other_load", Number(surroundings->other_load)},
          {"stolen", Number(surroundings->stolen)},
          {"swapped_bytes", surroundings->swapped_bytes},
          {"throttled", surroundings->throttled}};
}

json Run(const RunOutcome& run) {
  json entry = {{"side", Letter(run.request.side)},
                {"order", run.request.order},
                {"pair", run.request.pair < 0 ? json(nullptr) : json(run.request.pair)},
                {"warm_up", run.request.warm_up},
                {"end", Name(run.end)},
                {"exit_code", ExitStatus(run)},
                {"signal", run.end == RunEnd::kSignal ? json(run.signal) : json(nullptr)},
                {"max_rss_bytes", run.usage.max_rss_bytes},
                {"process",
                 {{"wall_s", Number(run.usage.wall_s)},
                  {"cpu_user_s", Number(run.usage.cpu_user_s)},
                  {"cpu_sys_s", Number(run.usage.cpu_sys_s)}}},
                {"machine", Machine(run.surroundings)},
                {"stdout_digest", TextOrNull(run.stdout_digest)},
                {"stderr_tail", run.stderr_tail},
                {"result_error", TextOrNull(run.result_error)}};
  AddScript(run, &entry);
  return entry;
}

json Outputs(const OutputsVerdict& outputs) {
  json name = nullptr, what = nullptr;
  if (outputs.first_difference) {
    name = outputs.first_difference->name;
    what = outputs.first_difference->what;
  }
  return {{"count", outputs.count},
          {"bytes", outputs.bytes},
          {"nans", outputs.nans},
          {"deterministic", Nullable(outputs.deterministic)},
          {"deterministic_with", Nullable(outputs.deterministic_with)},
          {"first_difference", name},
          {"difference", what},
          {"reason", TextOrNull(outputs.reason)}};
}

json GateList(const std::vector<GateResult>& gates) {
  json list = json::array();
  for (const GateResult& gate : gates) {
    list.push_back(
        {{"option", gate.option}, {"state", audit::Name(gate.state)}, {"reason", gate.reason}});
  }
  return list;
}

json OptionList(const Options& options) {
  return {{"pairs", options.pairs},
          {"max_pairs", Nullable(options.max_pairs)},
          {"width", options.max_pairs ? Number(options.width) : json(nullptr)},
          {"max_time_s", Nullable(options.max_time_s)},
          {"warmup", options.warmup},
          {"seed", Nullable(options.seed)},
          {"timeout_s", Nullable(options.timeout_s)},
          {"isolate", options.isolate},
          {"features", Nullable(options.features)},
          {"require_equal", options.gates.require_equal},
          {"min_speedup", Nullable(options.gates.min_speedup)},
          {"max_memory_ratio", Nullable(options.gates.max_memory)}};
}

// Runs mostly leave what one of the `earlier` left: thousands of digests are listed
// once, and then referred to.
json RunWithOutputs(const RunOutcome& run, std::span<const RunOutcome> earlier) {
  json entry = Run(run);
  entry["outputs"] = nullptr;
  entry["outputs_as_in"] = nullptr;
  if (!run.result) return entry;
  for (const RunOutcome& other : earlier) {
    if (other.result && other.result->outputs == run.result->outputs) {
      entry["outputs_as_in"] = other.request.order;
      return entry;
    }
  }
  entry["outputs"] = OutputList(run.result->outputs);
  return entry;
}

json Runs(const std::vector<RunOutcome>& runs) {
  json list = json::array();
  const std::span<const RunOutcome> all = runs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    list.push_back(RunWithOutputs(all[i], all.first(i)));
  }
  return list;
}

json Elements(const std::optional<ElementDifference>& elements) {
  if (!elements) return nullptr;
  return {{"output", elements->name},
          {"count", elements->elements},
          {"differing", elements->differing},
          {"first", elements->first},
          {"largest", Nullable(elements->largest)},
          {"largest_ulps", Nullable(elements->largest_ulps)},
          {"nans", elements->nans}};
}

json Explained(const std::optional<Explanation>& explanation,
               const std::vector<RunOutcome>& earlier) {
  if (!explanation) return nullptr;
  json cause = nullptr;
  if (const auto& culprits = explanation->culprits) {
    cause = {{"found", audit::Name(culprits->end)}, {"features", culprits->features}};
  }
  json probes = json::array();
  for (const Probe& probe : explanation->probes) {
    const RunRequest& request = probe.outcome.request;
    probes.push_back({{"features_off", request.off},
                      {"kept_output", TextOrNull(request.keep)},
                      {"differs", Nullable(probe.differs)},
                      {"run", RunWithOutputs(probe.outcome, earlier)}});
  }
  return {{"outputs", explanation->outputs},
          {"outputs_differing", explanation->differing},
          {"elements", Elements(explanation->elements)},
          {"cause", cause},
          {"unfinished", TextOrNull(explanation->unfinished)},
          {"probes", probes}};
}

json ToJson(const Report& report) {
  const Setup& setup = report.setup;
  return {
      {"schema", kReportSchema},
      {"ending", audit::Name(report.ending)},
      {"error", TextOrNull(report.error)},
      {"stopped_by", report.stop ? json(audit::Name(*report.stop)) : json(nullptr)},
      {"exit_code", report.ending == Ending::kRunning ? json(nullptr)
                                                      : json(static_cast<int>(report.exit_code))},
      {"verdict",
       {{"speed", audit::Name(report.speed)},
        {"outputs", audit::Name(report.outputs.equality)},
        {"printed", audit::Name(report.printed)}}},
      {"speedup", Ratio(report.speedup)},
      {"cpu_speedup", Ratio(report.cpu_speedup)},
      {"process_speedup", Ratio(report.process_speedup)},
      {"memory_ratio", Nullable(report.memory_ratio)},
      {"basis", audit::Name(report.basis)},
      {"outputs", Outputs(report.outputs)},
      {"explanation", Explained(report.explanation, report.runs)},
      {"gates", GateList(report.gates)},
      {"warnings", report.warnings},
      {"sides",
       {{"a", Summary(report.without, setup.spec_a, setup.python_a)},
        {"b", Summary(report.with, setup.spec_b, setup.python_b)}}},
      {"features", Features(report.features)},
      {"script",
       {{"command", setup.command},
        {"path", TextOrNull(setup.script_path)},
        {"digest", TextOrNull(setup.script_digest)},
        {"working_directory", setup.working_directory},
        {"kwker_environment", json(setup.kwker_environment)}}},
      {"options", OptionList(setup.options)},
      {"versions",
       {{"kwker", setup.versions.kwker},
        {"python", setup.versions.python},
        {"torch_package", TextOrNull(setup.versions.torch_package)}}},
      {"python", {{"executable", setup.python}, {"embedded", setup.embedded}}},
      {"machine",
       {{"cpu", TextOrNull(setup.machine.cpu)},
        {"logical_cpus", setup.machine.logical_cpus},
        {"memory_bytes", setup.machine.memory_bytes},
        {"system", setup.machine.system},
        {"load_1min", Number(setup.machine.load_1min)}}},
      {"started", setup.started},
      {"runs", Runs(report.runs)},
  };
}

}  // namespace

std::string FormatJson(const Report& report) {
  return ToJson(report).dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
}

}  // namespace kwker::audit

#include "audit/past_report.h"

#include <cmath>
#include <utility>

#include "audit/json_text.h"
#include "audit/json_value.h"
#include "audit/report_json.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

std::optional<double> NumberOrNull(const Value& value) {
  if (value.IsNull()) return std::nullopt;
  return value.Number();
}

std::string TextOrNull(const Value& value) { return value.IsNull() ? "" : value.Text(); }

RatioEstimate ReadRatio(const Value& ratio) {
  RatioEstimate read;
  read.estimate = NumberOrNull(ratio["estimate"]);
  const auto low = NumberOrNull(ratio["low"]), high = NumberOrNull(ratio["high"]);
  if (low && high) read.interval = Interval{*low, *high};
  const bool sane =
      (!read.estimate || *read.estimate > 0) && (!read.interval || (*low > 0 && *low <= *high));
  ratio.Require(sane, "ratios above 0");
  ratio["pairs"].Require(ratio["pairs"].Count() < 1'000'000, "a number of pairs");
  read.pairs = static_cast<int>(ratio["pairs"].Count());
  return read;
}

std::optional<std::int64_t> ReadMemory(const Value& side) {
  const Value memory = side["max_rss_bytes"];
  if (memory.IsNull()) return std::nullopt;
  return memory.Count();
}

FeatureCounts ReadFeature(const Value& feature) {
  return {feature["name"].Text(), feature["state"].Text(), feature["calls"].Count(),
          feature["fallbacks"].Counts()};
}

Output ReadOutput(const Value& output) {
  Output read;
  read.name = output["name"].Text();
  read.dtype = output["dtype"].Text();
  read.digest = output["digest"].Text();
  return read;
}

// One run, as far as it matters here.
struct PastRun {
  bool with = false;
  std::int64_t order = 0;
  std::optional<std::int64_t> pair;
  bool ended_well = false;
  std::optional<double> wall_s, process_wall_s;
  std::optional<std::vector<Output>> outputs;
  std::optional<std::int64_t> outputs_as_in;
};

PastRun ReadRun(const Value& run) {
  PastRun read;
  read.with = run["side"].Text() == "b";
  read.order = run["order"].Count();
  if (!run["pair"].IsNull()) read.pair = run["pair"].Count();
  read.ended_well = !run["exit_code"].IsNull() && run["exit_code"].Integer() == 0;
  read.wall_s = NumberOrNull(run["wall_s"]);
  read.process_wall_s = NumberOrNull(run["process"]["wall_s"]);
  if (!run["outputs"].IsNull()) read.outputs = run["outputs"].List(ReadOutput);
  if (!run["outputs_as_in"].IsNull()) read.outputs_as_in = run["outputs_as_in"].Count();
  return read;
}

void TakeTimes(const std::vector<PastRun>& runs, bool of_process, PastReport* report) {
  std::map<std::int64_t, std::pair<std::optional<double>, std::optional<double>>> pairs;
  for (const PastRun& run : runs) {
    if (!run.pair || !run.ended_well) continue;
    auto& pair = pairs[*run.pair];
    const auto& wall = of_process ? run.process_wall_s : run.wall_s;
    if (wall && *wall > 0 && std::isfinite(*wall)) (run.with ? pair.second : pair.first) = wall;
  }
  for (const auto& [number, pair] : pairs) {
    if (!pair.first || !pair.second) continue;
    report->without.push_back(*pair.first);
    report->with.push_back(*pair.second);
  }
}

void TakeOutputs(const std::vector<PastRun>& runs, PastReport* report) {
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!run->with || !run->ended_well) continue;
    if (run->outputs) {
      report->outputs_with = *run->outputs;
      return;
    }
    for (const PastRun& other : runs) {
      if (other.order != run->outputs_as_in || !other.outputs) continue;
      report->outputs_with = *other.outputs;
      return;
    }
  }
}

// Reports of before there were --a and --b say nothing of it.
std::string ReadSpec(const Value& side, const char* usual) {
  return side.Has("spec") && !side["spec"].IsNull() ? side["spec"].Text() : usual;
}

PastReport ReadReport(const Value& document) {
  PastReport report;
  const Value script = document["script"], versions = document["versions"];
  std::string command;
  for (const std::string& word : script["command"].Texts()) {
    command += (command.empty() ? "" : " ") + word;
  }
  report.circumstances = {{"script", command},
                          {"script's digest", TextOrNull(script["digest"])},
                          {"kwker", versions["kwker"].Text()},
                          {"python", versions["python"].Text()},
                          {"torch", TextOrNull(versions["torch_package"])},
                          {"processor", TextOrNull(document["machine"]["cpu"])},
                          {"times of the", document["basis"].Text()},
                          {"side A", ReadSpec(document["sides"]["a"], "kwker=off")},
                          {"side B", ReadSpec(document["sides"]["b"], "kwker=on")}};
  report.started = document["started"].Text();
  report.speed = document["verdict"]["speed"].Text();
  report.outputs = document["verdict"]["outputs"].Text();
  report.speedup = ReadRatio(document["speedup"]);
  report.memory_without = ReadMemory(document["sides"]["a"]);
  report.memory_with = ReadMemory(document["sides"]["b"]);
  report.features = document["features"].List(ReadFeature);
  const std::vector<PastRun> runs = document["runs"].List(ReadRun);
  TakeTimes(runs, document["basis"].Text() == "process", &report);
  TakeOutputs(runs, &report);
  return report;
}

}  // namespace

Parsed<PastReport> ParseReport(std::string_view text) {
  const Parsed<nlohmann::json> document = ParseWithBytes(text);
  if (!document) return Parsed<PastReport>::Error(document.error);
  try {
    const Value value(*document.value, "");
    if (!value.Has("schema")) {
      return Parsed<PastReport>::Error("is no report of kwker audit --json");
    }
    if (const std::string schema = value["schema"].Text(); schema != kReportSchema) {
      return Parsed<PastReport>::Error(
          Printable("is of the schema " + schema + ", this kwker reads " + kReportSchema));
    }
    return Parsed<PastReport>::Of(ReadReport(value));
  } catch (const Malformed& malformed) {
    return Parsed<PastReport>::Error(Printable("is no whole report: " + malformed.why));
  }
}

}  // namespace kwker::audit

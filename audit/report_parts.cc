#include "audit/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "audit/pairs.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t kTailLines = 12;
constexpr std::size_t kNamesInRow = 3;

std::string Or(const std::optional<double>& seconds) {
  return seconds ? FormatSeconds(*seconds) : "";
}

TimesRow TimeRow(std::string label, const std::optional<double>& without,
                 const std::optional<double>& with, const RatioEstimate& ratio) {
  return {std::move(label), Or(without), Or(with), ratio.estimate ? FormatRatio(ratio) : "",
          ratio.interval ? FormatInterval(ratio) : ""};
}

std::string Hint(const Report& report) {
  if (report.outputs.deterministic == false || report.outputs.deterministic_with == false) {
    const Options& options = report.setup.options;
    std::string hint =
        options.seed ? "the seed is set already: look for clocks, sets, or threads that race"
                     : "try --seed 0: it seeds Python, NumPy and torch before the script starts";
    if (!options.isolate) hint += "; or --isolate, if it reads what an earlier run wrote";
    return hint;
  }
  const bool any_result = std::any_of(report.runs.begin(), report.runs.end(),
                                      [](const RunOutcome& run) { return run.result.has_value(); });
  if (report.outputs.equality == Equality::kUnknown && report.outputs.count == 0 && any_result) {
    return "name in the script what is to be compared: kwker.audit.record(\"name\", value)";
  }
  return "";
}

// "torch 2.13.0+cpu AVX512, 2 threads", of the first run that tells; empty: none does.
std::string TorchOf(const Report& report, std::optional<Side> side) {
  for (const RunOutcome& run : report.runs) {
    if (side && run.request.side != *side) continue;
    if (!run.result || run.result->torch_version.empty()) continue;
    return Printable(fmt::format("torch {} {}, {}", run.result->torch_version,
                                 run.result->capability, Plural(run.result->threads, "thread")));
  }
  return "";
}

std::string PythonOf(const SidePython& python) {
  return python.version.empty() ? "" : "Python " + Printable(python.version);
}

bool AnySides(const Setup& setup) { return setup.words != SideWords(); }

bool SameTorch(const Report& report) {
  return !AnySides(report.setup) || TorchOf(report, Side::kA) == TorchOf(report, Side::kB);
}

bool SamePython(const Setup& setup) {
  return !AnySides(setup) || setup.python_a.version == setup.python_b.version;
}

// In how many outputs and elements the sides differ, and by how much.
void AddExtent(const Report& report, Strings* lines) {
  if (!report.explanation) return;
  const Explanation& explanation = *report.explanation;
  if (const auto& elements = explanation.elements) {
    std::string line =
        fmt::format("in {} {} of {} differ{}", Printable(elements->name), elements->differing,
                    Plural(elements->elements, "element"), elements->differing == 1 ? "s" : "");
    if (elements->elements > 1) line += fmt::format(", the first at index {}", elements->first);
    if (elements->largest) line += fmt::format("; by at most {:.3g}", *elements->largest);
    if (elements->largest_ulps) {
      line += fmt::format(" ({} ulp{})", *elements->largest_ulps,
                          *elements->largest_ulps == 1 ? "" : "s");
    }
    if (elements->nans > 0) {
      line += fmt::format("; {} NaN on one side only",
                          elements->nans == 1 ? "one is" : fmt::format("{} are", elements->nans));
    }
    lines->push_back(std::move(line));
  }
  if (explanation.differing > 0) {
    lines->push_back(fmt::format("{} of {} differ{}", explanation.differing,
                                 Plural(explanation.outputs, "output"),
                                 explanation.differing == 1 ? "s" : ""));
  }
}

bool Called(const FeatureCounts& feature) { return feature.calls + Fallen(feature) > 0; }

}  // namespace

std::string CommandLine(const Setup& setup) {
  std::string line;
  for (const std::string& word : setup.command) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos;
    line += plain ? Printable(word) : fmt::format("'{}'", Printable(word));
  }
  return line;
}

std::vector<std::string> Platform(const Report& report) {
  std::vector<std::string> parts;
  if (std::string torch = TorchOf(report, std::nullopt); !torch.empty() && SameTorch(report)) {
    parts.push_back(std::move(torch));
  }
  if (!report.setup.versions.python.empty() && SamePython(report.setup)) {
    parts.push_back("Python " + Printable(report.setup.versions.python));
  }
  if (report.setup.options.isolate) parts.push_back("each run in its own copy of the folder");
  return parts;
}

std::vector<std::string> KwkerEnvironment(const Report& report) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : report.setup.kwker_environment) {
    parts.push_back(Printable(fmt::format("{}={}", name, value)));
  }
  return parts;
}

std::vector<std::string> SideSpecs(const Report& report) {
  const Setup& setup = report.setup;
  if (!AnySides(setup)) return {};
  std::vector<std::string> lines;
  for (const Side side : {Side::kA, Side::kB}) {
    const bool is_a = side == Side::kA;
    std::string line = (is_a ? "A: " : "B: ") + Printable(is_a ? setup.spec_a : setup.spec_b);
    const std::string torch = SameTorch(report) ? "" : TorchOf(report, side);
    const std::string python =
        SamePython(setup) ? "" : PythonOf(is_a ? setup.python_a : setup.python_b);
    for (const std::string& part : {torch, python}) {
      if (!part.empty()) line += " · " + part;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<TimesRow> TimesTable(const Report& report) {
  if (report.without.runs == 0) return {};
  const SideSummary& a = report.without;
  const SideSummary& b = report.with;
  std::vector<TimesRow> rows;
  if (report.basis == Basis::kScript) {
    rows.push_back(TimeRow("script, wall", a.wall_s, b.wall_s, report.speedup));
    rows.push_back(TimeRow("script, CPU", a.cpu_s, b.cpu_s, report.cpu_speedup));
  }
  rows.push_back(
      TimeRow("process, wall", a.process_wall_s, b.process_wall_s, report.process_speedup));
  if (report.basis == Basis::kProcess) {
    rows.push_back(TimeRow("process, CPU", a.cpu_s, b.cpu_s, report.cpu_speedup));
  }
  TimesRow memory{"peak memory", "", "", "", ""};
  if (a.max_rss_bytes) memory.without = FormatBytes(*a.max_rss_bytes);
  if (b.max_rss_bytes) memory.with = FormatBytes(*b.max_rss_bytes);
  rows.push_back(memory);
  return rows;
}

std::vector<std::string> OutputNotes(const Report& report) {
  const OutputsVerdict& outputs = report.outputs;
  // Where the audit failed the headline says why.
  if (report.ending == Ending::kScriptFailed || report.ending == Ending::kKwkerFailed ||
      report.ending == Ending::kCannotRun) {
    return {};
  }
  std::vector<std::string> lines;
  if (!outputs.reason.empty()) lines.push_back(Printable(outputs.reason));
  if (const auto& first = outputs.first_difference) {
    lines.push_back(
        fmt::format("first difference: {}, {}", Printable(first->name), Printable(first->what)));
  }
  AddExtent(report, &lines);
  if (const std::string hint = Hint(report); !hint.empty()) lines.push_back(hint);
  if (outputs.nans > 0) {
    lines.push_back(
        fmt::format("{} NaN: compared by place, not by payload",
                    Plural(outputs.nans, "element") + (outputs.nans == 1 ? " is" : " are")));
  }
  return lines;
}

std::vector<std::string> CauseNotes(const Report& report) {
  if (!report.explanation || !report.explanation->culprits) return {};
  const Culprits& culprits = *report.explanation->culprits;
  const bool fails = report.ending == Ending::kKwkerFailed;
  const char* differs = fails ? "the script fails" : "the outputs differ";
  const bool one = culprits.features.size() == 1;
  const std::string names = Printable(fmt::format("{}", fmt::join(culprits.features, ", ")));
  switch (culprits.end) {
    case SearchEnd::kFeatures:
      return {fmt::format("{}: with {} off {}", names, one ? "it" : "these",
                          fails ? "the script passes" : "the outputs are equal"),
              fmt::format("KWKER_DISABLE={} leaves it to torch; please report what you see here",
                          fmt::join(culprits.features, ","))};
    case SearchEnd::kNotFeatures:
      return {fmt::format("none of Kwker's features: {} with all of them off, too", differs)};
    case SearchEnd::kMany:
      return {fmt::format("{}, and more than these: {} with them off, too", names, differs)};
    case SearchEnd::kUnfinished:
      break;
  }
  return {fmt::format("not found out: {}", Printable(report.explanation->unfinished))};
}

std::vector<RunRow> RunRows(const Report& report) {
  std::vector<RunRow> rows;
  for (const RunOutcome& run : report.runs) {
    const RunRequest& request = run.request;
    rows.push_back({&run, request.warm_up    ? "warm-up"
                          : request.pair < 0 ? "once more"
                                             : std::to_string(request.pair + 1)});
  }
  if (!report.explanation) return rows;
  for (const Probe& probe : report.explanation->probes) {
    const Strings& off = probe.outcome.request.off;
    rows.push_back({&probe.outcome, off.empty() ? "closer look"
                                    : off.size() > kNamesInRow
                                        ? fmt::format("{} features off", off.size())
                                        : Printable(fmt::format("{} off", fmt::join(off, ", ")))});
  }
  return rows;
}

std::vector<std::string> LastWords(const Report& report, bool* failed) {
  *failed = false;
  if (report.ending != Ending::kScriptFailed && report.ending != Ending::kKwkerFailed) return {};
  const RunOutcome* run = FailedRun(report);
  if (run == nullptr) return {};
  *failed = true;
  std::vector<std::string> lines(1);
  for (const char c : run->stderr_tail) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() > kTailLines) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kTailLines));
  }
  for (std::string& line : lines) line = Printable(line);
  return lines;
}

std::int64_t Fallen(const FeatureCounts& feature) {
  return std::accumulate(feature.fallbacks.begin(), feature.fallbacks.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& reason) { return sum + reason.second; });
}

// "amsgrad 2, sparse gradient 1"
std::string Reasons(const FeatureCounts& feature) {
  std::vector<std::string> reasons;
  for (const auto& [reason, calls] : feature.fallbacks) {
    if (calls > 0) reasons.push_back(fmt::format("{} {}", Printable(reason), calls));
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

std::vector<FeatureCounts> CalledFeatures(const Report& report) {
  std::vector<FeatureCounts> called;
  std::copy_if(report.features.begin(), report.features.end(), std::back_inserter(called), Called);
  return called;
}

std::vector<std::string> IdleFeatures(const Report& report) {
  std::vector<std::string> idle;
  for (const FeatureCounts& feature : report.features) {
    if (!Called(feature)) idle.push_back(Printable(feature.name));
  }
  return idle;
}

std::string Method(const Report& report) {
  if (report.speedup.method.empty()) return "";
  const SideWords& words = report.setup.words;
  return fmt::format(
      "Times are medians; ratios are {} over {}, so above 1x is faster; 95% intervals by {}.",
      words.a, words.b, report.speedup.method);
}

}  // namespace kwker::audit

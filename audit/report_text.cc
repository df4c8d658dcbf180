#include "audit/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "audit/headline.h"
#include "audit/pairs.h"
#include "audit/terminal.h"
#include "audit/text_page.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

constexpr int kIntervalFrom = 60;  // columns: below, the table has no column for it
constexpr std::size_t kLabel = TextPage::kLabel;
constexpr std::size_t kTailLines = 12;

std::string CommandLine(const Setup& setup) {
  std::string line;
  for (const std::string& word : setup.command) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"") == std::string::npos;
    line += plain ? Printable(word) : fmt::format("'{}'", Printable(word));
  }
  return line;
}

void WriteSubject(const Report& report, TextPage* page) {
  std::vector<Span> parts = {{CommandLine(report.setup), Ink::kDim}};
  for (const RunOutcome& run : report.runs) {
    if (!run.result || run.result->torch_version.empty()) continue;
    parts.push_back(
        {Printable(fmt::format("torch {} {}, {}", run.result->torch_version, run.result->capability,
                               Plural(run.result->threads, "thread"))),
         Ink::kDim});
    break;
  }
  if (!report.setup.versions.python.empty()) {
    parts.push_back({"Python " + report.setup.versions.python, Ink::kDim});
  }
  for (const auto& [name, value] : report.setup.kwker_environment) {
    parts.push_back({Printable(fmt::format("{}={}", name, value)), Ink::kPlain});
  }
  page->Parts(parts);
}

// What the failed run said last.
void WriteFailure(const Report& report, TextPage* page) {
  if (report.ending != Ending::kScriptFailed && report.ending != Ending::kKwkerFailed) return;
  const RunOutcome* failed = FailedRun(report);
  if (failed == nullptr) return;
  std::vector<std::string> lines(1);
  for (const char c : failed->stderr_tail) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  page->Gap();
  if (lines.empty()) {
    page->Line({{"It printed nothing to stderr.", Ink::kDim}});
    return;
  }
  page->Line({{"The last lines it printed to stderr:", Ink::kDim}});
  const std::size_t first = lines.size() - std::min(lines.size(), kTailLines);
  for (std::size_t i = first; i < lines.size(); ++i) {
    page->Line({{"  " + Printable(lines[i]), Ink::kPlain}});
  }
}

struct Row {
  std::string label, without, with, ratio, interval;
};

std::string Or(const std::optional<double>& seconds) {
  return seconds ? FormatSeconds(*seconds) : "";
}

Row TimeRow(std::string label, const std::optional<double>& without,
            const std::optional<double>& with, const RatioEstimate& ratio) {
  return {std::move(label), Or(without), Or(with), ratio.estimate ? FormatRatio(ratio) : "",
          ratio.interval ? FormatInterval(ratio) : ""};
}

std::vector<Row> Rows(const Report& report) {
  const SideSummary& a = report.without;
  const SideSummary& b = report.with;
  std::vector<Row> rows;
  if (report.basis == Basis::kScript) {
    rows.push_back(TimeRow("script, wall", a.wall_s, b.wall_s, report.speedup));
    rows.push_back(TimeRow("script, CPU", a.cpu_s, b.cpu_s, report.cpu_speedup));
  }
  rows.push_back(
      TimeRow("process, wall", a.process_wall_s, b.process_wall_s, report.process_speedup));
  if (report.basis == Basis::kProcess) {
    rows.push_back(TimeRow("process, CPU", a.cpu_s, b.cpu_s, report.cpu_speedup));
  }
  Row memory{"peak memory", "", "", "", ""};
  if (a.max_rss_bytes) memory.without = FormatBytes(*a.max_rss_bytes);
  if (b.max_rss_bytes) memory.with = FormatBytes(*b.max_rss_bytes);
  rows.push_back(memory);
  return rows;
}

void WriteTable(const Report& report, TextPage* page) {
  if (report.without.runs == 0) return;
  const bool interval = page->width() >= kIntervalFrom;
  const std::size_t label_columns = interval ? kLabel : kLabel - 1;
  const auto line = [&](const Row& row, Ink label, Ink ink) {
    std::string figures = Right(row.without, 11) + Right(row.with, 11);
    figures += Right(row.ratio, interval ? 9 : 7);
    if (interval) figures += Right(row.interval, 13);
    page->Line({{Left(row.label, label_columns), label}, {figures, ink}});
  };
  page->Gap();
  line({"", "without", "with", "ratio", "95%"}, Ink::kDim, Ink::kDim);
  for (const Row& row : Rows(report)) line(row, Ink::kDim, Ink::kPlain);
}

std::string Hint(const Report& report) {
  if (report.outputs.deterministic == false || report.outputs.deterministic_with == false) {
    return report.setup.options.seed
               ? "the seed is set already: look for clocks, sets, or threads that race"
               : "try --seed 0: it seeds Python, NumPy and torch before the script starts";
  }
  const bool any_result = std::any_of(report.runs.begin(), report.runs.end(),
                                      [](const RunOutcome& run) { return run.result.has_value(); });
  if (report.outputs.equality == Equality::kUnknown && report.outputs.count == 0 && any_result) {
    return "name in the script what is to be compared: kwker.audit.record(\"name\", value)";
  }
  return "";
}

void WriteOutputs(const Report& report, TextPage* page) {
  const OutputsVerdict& outputs = report.outputs;
  // Where the audit failed the headline says why.
  if (report.ending == Ending::kScriptFailed || report.ending == Ending::kKwkerFailed ||
      report.ending == Ending::kCannotRun) {
    return;
  }
  std::vector<std::string> lines;
  if (!outputs.reason.empty()) lines.push_back(Printable(outputs.reason));
  if (const auto& first = outputs.first_difference) {
    lines.push_back(
        fmt::format("first difference: {}, {}", Printable(first->name), Printable(first->what)));
  }
  if (const std::string hint = Hint(report); !hint.empty()) lines.push_back(hint);
  if (outputs.nans > 0) {
    lines.push_back(
        fmt::format("{} NaN: compared by place, not by payload",
                    Plural(outputs.nans, "element") + (outputs.nans == 1 ? " is" : " are")));
  }
  if (lines.empty()) return;
  page->Gap();
  std::string label = "outputs";
  for (const std::string& text : lines) {
    page->Entry(label, text, Ink::kDim, Ink::kPlain);
    label.clear();
  }
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

void WriteFeatures(const Report& report, TextPage* page) {
  if (report.features.empty()) return;
  std::size_t name_columns = kLabel;
  std::vector<std::string> idle;
  for (const FeatureCounts& feature : report.features) {
    if (feature.calls + Fallen(feature) > 0) {
      name_columns = std::max(name_columns, Columns(Printable(feature.name)) + 1);
    } else {
      idle.push_back(Printable(feature.name));
    }
  }
  page->Gap();
  if (idle.size() < report.features.size()) {
    page->Line({{Left("features", name_columns) + Right("by Kwker", 10) + Right("by torch", 10),
                 Ink::kDim}});
  }
  for (const FeatureCounts& feature : report.features) {
    if (feature.calls + Fallen(feature) == 0) continue;
    const std::string figures =
        fmt::format("{}{:>10}{:>10}", Left(Printable(feature.name), name_columns), feature.calls,
                    Fallen(feature));
    const std::string reasons = Reasons(feature);
    const std::size_t used = Columns(figures) + 3;
    if (used + Columns(reasons) <= static_cast<std::size_t>(page->width())) {
      page->Line({{figures + "   ", Ink::kPlain}, {reasons, Ink::kDim}});
    } else {
      page->Line({{figures, Ink::kPlain}});
      page->Entry("", reasons, Ink::kPlain, Ink::kDim, 4);
    }
  }
  if (!idle.empty()) {
    page->Entry("not called", fmt::format("{}", fmt::join(idle, ", ")), Ink::kDim, Ink::kDim);
  }
}

void WriteGates(const Report& report, TextPage* page) {
  if (report.gates.empty()) return;
  page->Gap();
  for (const GateResult& gate : report.gates) {
    const Ink ink = gate.state == GateState::kHolds   ? Ink::kGood
                    : gate.state == GateState::kFails ? Ink::kBad
                                                      : Ink::kDoubt;
    page->Entry(fmt::format("{}", Name(gate.state)),
                fmt::format("{}: {}", gate.option, gate.reason), ink, Ink::kPlain);
  }
}

void WriteWarnings(const Report& report, TextPage* page) {
  if (report.warnings.empty()) return;
  page->Gap();
  for (const std::string& warning : report.warnings) {
    page->Entry("!", Printable(warning), Ink::kDoubt, Ink::kPlain, 2);
  }
}

void WriteMethod(const Report& report, TextPage* page) {
  if (report.speedup.method.empty()) return;
  page->Gap();
  page->Entry("",
              "Times are medians; ratios are without over with, so above 1x is faster; 95% "
              "intervals by " +
                  report.speedup.method + ".",
              Ink::kDim, Ink::kDim, 0);
}

}  // namespace

std::string FormatText(const Report& report, const TextStyle& style) {
  TextPage page(style);
  page.Parts(HeadlineParts(report));
  WriteSubject(report, &page);
  WriteFailure(report, &page);
  WriteTable(report, &page);
  WriteOutputs(report, &page);
  WriteFeatures(report, &page);
  WriteGates(report, &page);
  WriteWarnings(report, &page);
  WriteMethod(report, &page);
  return page.Take();
}

}  // namespace kwker::audit

#include "audit/report_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/headline.h"
#include "audit/pairs.h"
#include "audit/report_html_style.h"
#include "audit/report_parts.h"
#include "audit/svg.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

std::string_view Class(Ink ink) {
  switch (ink) {
    case Ink::kGood:
      return "good";
    case Ink::kBad:
      return "bad";
    case Ink::kDoubt:
      return "doubt";
    case Ink::kDim:
      return "dim";
    case Ink::kPlain:
    case Ink::kBold:
      break;
  }
  return "plain";
}

std::string Key(const std::string& a, const std::string& b) {
  return fmt::format("<p class=\"key\"><i class=\"a\"></i>{}<i class=\"b\"></i>{}</p>\n", a, b);
}

std::string Key(const Report& report) { return Key(report.setup.words.a, report.setup.words.b); }

// `body` under a heading; nothing if it is empty.
std::string Section(std::string_view heading, const std::string& body) {
  if (body.empty()) return "";
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", heading, body);
}

// Columns whose heads start with '<' hold text, the others figures. Cells are
// escaped here.
std::string Table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  const auto cell = [&head](const char* tag, std::size_t column, std::string_view text) {
    const bool words = head[column].starts_with('<');
    return fmt::format("<{0}{1}>{2}</{0}>", tag, words ? " class=\"text\"" : "", EscapeXml(text));
  };
  std::string html = "<div class=\"wide\"><table>\n<tr>";
  for (std::size_t i = 0; i < head.size(); ++i) {
    html += cell("th", i, std::string_view(head[i]).substr(head[i].starts_with('<') ? 1 : 0));
  }
  html += "</tr>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += cell("td", i, row[i]);
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string List(const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string html = "<ul>\n";
  for (const std::string& item : items) html += "<li>" + EscapeXml(item) + "</li>\n";
  return html + "</ul>\n";
}

std::string Verdict(const Report& report) {
  std::string html = "<h1>";
  for (const Span& part : HeadlineParts(report)) {
    html += fmt::format("<span class=\"{}\">{}</span>", Class(part.ink), EscapeXml(part.text));
  }
  html += "</h1>\n<p class=\"subject\"><code>" + EscapeXml(CommandLine(report.setup)) + "</code>";
  for (const std::string& part : Platform(report)) html += " · " + EscapeXml(part);
  for (const std::string& part : KwkerEnvironment(report)) html += " · " + EscapeXml(part);
  return html + "</p>\n" + List(SideSpecs(report));
}

std::string Failure(const Report& report) {
  bool failed = false;
  const std::vector<std::string> lines = LastWords(report, &failed);
  if (!failed) return "";
  if (lines.empty()) return "<p>It printed nothing to stderr.</p>\n";
  std::string html = "<p>The last lines it printed to stderr:</p>\n<pre>";
  for (const std::string& line : lines) html += EscapeXml(line) + "\n";
  return html + "</pre>\n";
}

std::string Times(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const TimesRow& row : TimesTable(report)) {
    rows.push_back({row.label, row.without, row.with, row.ratio, row.interval});
  }
  return Table({"", report.setup.words.a, report.setup.words.b, "ratio", "95%"}, rows);
}

std::string Ratios(const Report& report) {
  std::vector<RatioRow> rows;
  if (report.basis == Basis::kScript) rows.push_back({"script, wall", report.speedup});
  if (report.basis == Basis::kScript) rows.push_back({"script, CPU", report.cpu_speedup});
  rows.push_back({"process, wall", report.process_speedup});
  if (report.basis == Basis::kProcess) rows.push_back({"process, CPU", report.cpu_speedup});
  return RatioPlot("Ratios of times and their 95% intervals", rows);
}

// `value` of both runs of each finished pair; nothing if one has none.
std::vector<PairPoint> Points(const Report& report, Clock value) {
  std::vector<PairPoint> points;
  for (const Pair& pair : FinishedPairs(report.runs)) {
    const auto without = value(*pair.without, report.basis);
    const auto with = value(*pair.with, report.basis);
    if (!without || !with) return {};
    points.push_back({pair.number + 1, *without, *with});
  }
  return points;
}

std::optional<double> Memory(const RunOutcome& run, Basis) {
  return static_cast<double>(run.usage.max_rss_bytes);
}

std::string Pairs(const Report& report) {
  const std::vector<PairPoint> points = Points(report, Wall);
  const std::string name = fmt::format("Wall time of the {} in each pair", Name(report.basis));
  const std::string plot = PairPlot(name, points, report.setup.words, FormatSeconds);
  if (plot.empty()) return "";
  return Key(report) + plot +
         "<p class=\"dim\">Ratio of each pair, and the estimate with its interval:</p>\n" +
         PairRatioPlot("Ratio of each pair", points, report.speedup);
}

std::string MemoryOfPairs(const Report& report) {
  const std::string plot =
      PairPlot("Peak memory in each pair", Points(report, Memory), report.setup.words,
               [](double bytes) { return FormatBytes(static_cast<std::int64_t>(bytes)); });
  return plot.empty() ? "" : Key(report) + plot;
}

std::string Features(const Report& report) {
  std::vector<ShareRow> shares;
  std::vector<std::vector<std::string>> rows;
  for (const FeatureCounts& feature : CalledFeatures(report)) {
    const std::string name = Printable(feature.name);
    shares.push_back(
        {name, static_cast<double>(feature.calls), static_cast<double>(Fallen(feature))});
    rows.push_back(
        {name, std::to_string(feature.calls), std::to_string(Fallen(feature)), Reasons(feature)});
  }
  std::string html;
  if (!rows.empty()) {
    html += Key("by torch", "calls by Kwker");
    html += SharePlot("Calls of each feature, by Kwker and by torch", shares);
    html += Table({"feature", "by Kwker", "by torch", "<why by torch"}, rows);
  }
  const std::vector<std::string> idle = IdleFeatures(report);
  if (!idle.empty()) {
    html += fmt::format("<p class=\"dim\">Not called: {}</p>\n",
                        EscapeXml(fmt::format("{}", fmt::join(idle, ", "))));
  }
  return html;
}

std::string Demanded(const Report& report) {
  if (report.gates.empty()) return "";
  std::string html = "<ul>\n";
  for (const GateResult& gate : report.gates) {
    const Ink ink = gate.state == GateState::kHolds   ? Ink::kGood
                    : gate.state == GateState::kFails ? Ink::kBad
                                                      : Ink::kDoubt;
    html += fmt::format("<li><b class=\"{}\">{}</b> <code>{}</code>: {}</li>\n", Class(ink),
                        Name(gate.state), EscapeXml(gate.option), EscapeXml(gate.reason));
  }
  return html + "</ul>\n";
}

std::string Warnings(const Report& report) {
  std::vector<std::string> shown = report.warnings;
  for (std::string& warning : shown) warning = Printable(warning);
  return List(shown);
}

std::string Runs(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const RunRow& row : RunRows(report)) {
    const RunOutcome& run = *row.run;
    const RunRequest& request = run.request;
    const auto script = [&run](double ChildResult::* figure) {
      return run.result ? FormatSeconds((*run.result).*figure) : std::string();
    };
    rows.push_back(
        {std::to_string(request.order + 1),
         request.side == Side::kA ? report.setup.words.a : report.setup.words.b, row.what,
         script(&ChildResult::wall_s), script(&ChildResult::cpu_user_s),
         script(&ChildResult::cpu_sys_s), FormatSeconds(run.usage.wall_s),
         FormatBytes(run.usage.max_rss_bytes),
         run.surroundings ? fmt::format("{:.0f}%", 100 * run.surroundings->other_load) : "",
         run.end == RunEnd::kOk ? "" : DescribeEnd(run)});
  }
  const std::string table = Table({"run", "<side", "<pair", "script", "user", "system", "process",
                                   "memory", "other load", "<end"},
                                  rows);
  if (table.empty()) return "";
  return "<details>\n<summary>Every run</summary>\n" + table + "</details>\n";
}

std::string Footer(const Report& report) {
  const Setup& setup = report.setup;
  std::vector<std::string> parts;
  if (!setup.versions.kwker.empty()) parts.push_back("Kwker " + setup.versions.kwker);
  if (!setup.machine.cpu.empty()) parts.push_back(setup.machine.cpu);
  parts.push_back(Plural(setup.machine.logical_cpus, "processor"));
  parts.push_back(FormatBytes(setup.machine.memory_bytes));
  parts.push_back(setup.machine.system);
  parts.push_back(setup.started);
  std::string html = "<footer>\n";
  if (const std::string method = Method(report); !method.empty()) {
    html += "<p>" + EscapeXml(method) + "</p>\n";
  }
  html += "<p>" + EscapeXml(Printable(fmt::format("{}", fmt::join(parts, " · ")))) + "</p>\n";
  return html + "</footer>\n";
}

}  // namespace

std::string FormatHtml(const Report& report) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  html += fmt::format("<title>kwker audit: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
                      EscapeXml(CommandLine(report.setup)), kHtmlStyle);
  html += Verdict(report) + Failure(report);
  html += Section("Times", Times(report) + Ratios(report));
  html += Section("Pairs", Pairs(report));
  html += Section("Outputs", List(OutputNotes(report)));
  html += Section("Cause", List(CauseNotes(report)));
  html += Section("Features", Features(report));
  html += Section("Demanded", Demanded(report));
  html += Section("Warnings", Warnings(report));
  html += Section("Peak memory", MemoryOfPairs(report));
  html += Section("Runs", Runs(report));
  return html + Footer(report) + "</body>\n</html>\n";
}

}  // namespace kwker::audit

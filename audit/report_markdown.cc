#include "audit/report_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/headline.h"
#include "audit/report_parts.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '@') {
      escaped += "&#64;";  // mentions nobody
    } else {
      if (std::string_view("\\`*_[]>|~#").find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

// A code span: its fence is longer than any run of backticks in it.
std::string Code(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const char* pad = longest > 0 ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, pad, text, pad, fence);
}

void AddTable(const std::vector<std::string>& head,
              const std::vector<std::vector<std::string>>& rows, std::string* page) {
  const auto line = [page](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) *page += fmt::format("| {} ", cell);
    *page += "|\n";
  };
  line(head);
  // The first column to the left, figures to the right.
  for (std::size_t i = 0; i < head.size(); ++i) *page += i == 0 ? "| :-- " : "| --: ";
  *page += "|\n";
  for (const auto& row : rows) line(row);
  *page += '\n';
}

void AddTimes(const Report& report, std::string* page) {
  const SideWords& words = report.setup.words;
  std::vector<std::vector<std::string>> rows;
  for (const TimesRow& row : TimesTable(report)) {
    rows.push_back({row.label, row.without, row.with, row.ratio, row.interval});
  }
  if (!rows.empty()) AddTable({"", words.a, words.b, "ratio", "95%"}, rows, page);
}

void AddFailure(const Report& report, std::string* page) {
  bool failed = false;
  const std::vector<std::string> lines = LastWords(report, &failed);
  if (!failed) return;
  if (lines.empty()) {
    *page += "It printed nothing to stderr.\n\n";
    return;
  }
  *page += "The last lines it printed to stderr:\n\n";
  for (const std::string& line : lines) *page += "    " + line + "\n";  // a code block
  *page += '\n';
}

void AddFeatures(const Report& report, std::string* page) {
  std::vector<std::vector<std::string>> rows;
  for (const FeatureCounts& feature : CalledFeatures(report)) {
    rows.push_back({Escape(Printable(feature.name)), std::to_string(feature.calls),
                    std::to_string(Fallen(feature)), Escape(Reasons(feature))});
  }
  if (!rows.empty()) AddTable({"feature", "by Kwker", "by torch", "why by torch"}, rows, page);
}

void AddList(const std::vector<std::string>& items, std::string* page) {
  for (const std::string& item : items) *page += "- " + item + "\n";
  if (!items.empty()) *page += '\n';
}

void AddRuns(const Report& report, std::string* page) {
  const std::vector<RunRow> runs = RunRows(report);
  if (runs.empty()) return;
  *page += fmt::format("<details><summary>{}</summary>\n\n",
                       Plural(static_cast<std::int64_t>(runs.size()), "run"));
  std::vector<std::vector<std::string>> rows;
  for (const auto& [each, what] : runs) {
    const RunOutcome& run = *each;
    const RunRequest& request = run.request;
    rows.push_back({std::to_string(request.order + 1),
                    request.side == Side::kA ? report.setup.words.a : report.setup.words.b,
                    Escape(what), run.result ? FormatSeconds(run.result->wall_s) : "",
                    FormatSeconds(run.usage.wall_s), FormatBytes(run.usage.max_rss_bytes),
                    run.end == RunEnd::kOk ? "" : DescribeEnd(run)});
  }
  AddTable({"run", "side", "pair", "script", "process", "memory", ""}, rows, page);
  *page += "</details>\n\n";
}

}  // namespace

std::string FormatMarkdown(const Report& report) {
  std::string page = fmt::format("**{}**\n\n", Escape(Headline(report)));
  page += Code(CommandLine(report.setup));
  for (const std::string& part : Platform(report)) page += " · " + Escape(part);
  for (const std::string& part : KwkerEnvironment(report)) page += " · " + Code(part);
  page += "\n\n";
  std::vector<std::string> specs = SideSpecs(report);
  for (std::string& spec : specs) spec = Code(spec);
  AddList(specs, &page);
  AddFailure(report, &page);
  AddTimes(report, &page);
  std::vector<std::string> notes = OutputNotes(report);
  for (std::string& note : notes) note = "outputs: " + Escape(note);
  for (const std::string& note : CauseNotes(report)) notes.push_back("cause: " + Escape(note));
  AddList(notes, &page);
  AddFeatures(report, &page);
  std::vector<std::string> gates;
  for (const GateResult& gate : report.gates) {
    gates.push_back(
        fmt::format("**{}** {}: {}", Name(gate.state), Code(gate.option), Escape(gate.reason)));
  }
  AddList(gates, &page);
  std::vector<std::string> warnings = report.warnings;
  for (std::string& warning : warnings) warning = "Warning: " + Escape(Printable(warning));
  AddList(warnings, &page);
  AddRuns(report, &page);
  const std::string method = Method(report);
  if (!method.empty()) page += fmt::format("<sub>{}</sub>\n", Escape(method));
  return page;
}

}  // namespace kwker::audit

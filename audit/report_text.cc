#include "audit/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "audit/headline.h"
#include "audit/report_parts.h"
#include "audit/terminal.h"
#include "audit/text_page.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

constexpr int kIntervalFrom = 60;  // columns: below, the table has no column for it
constexpr std::size_t kLabel = TextPage::kLabel;

void WriteSubject(const Report& report, TextPage* page) {
  std::vector<Span> parts = {{CommandLine(report.setup), Ink::kDim}};
  for (std::string& part : Platform(report)) parts.push_back({std::move(part), Ink::kDim});
  for (std::string& part : KwkerEnvironment(report)) {
    parts.push_back({std::move(part), Ink::kPlain});
  }
  page->Parts(parts);
  for (const std::string& line : SideSpecs(report)) {
    page->Entry(line.substr(0, 3), line.substr(3), Ink::kDim, Ink::kPlain, 3);
  }
}

void WriteFailure(const Report& report, TextPage* page) {
  bool failed = false;
  const std::vector<std::string> lines = LastWords(report, &failed);
  if (!failed) return;
  page->Gap();
  if (lines.empty()) {
    page->Line({{"It printed nothing to stderr.", Ink::kDim}});
    return;
  }
  page->Line({{"The last lines it printed to stderr:", Ink::kDim}});
  for (const std::string& line : lines) page->Line({{"  " + line, Ink::kPlain}});
}

void WriteTable(const Report& report, TextPage* page) {
  const std::vector<TimesRow> rows = TimesTable(report);
  if (rows.empty()) return;
  const bool interval = page->width() >= kIntervalFrom;
  const std::size_t label_columns = interval ? kLabel : kLabel - 1;
  const auto line = [&](const TimesRow& row, Ink label, Ink ink) {
    std::string figures = Right(row.without, 11) + Right(row.with, 11);
    figures += Right(row.ratio, interval ? 9 : 7);
    if (interval) figures += Right(row.interval, 13);
    page->Line({{Left(row.label, label_columns), label}, {figures, ink}});
  };
  page->Gap();
  const SideWords& words = report.setup.words;
  line({"", words.a, words.b, "ratio", "95%"}, Ink::kDim, Ink::kDim);
  for (const TimesRow& row : rows) line(row, Ink::kDim, Ink::kPlain);
}

void WriteOutputs(const Report& report, TextPage* page) {
  const std::vector<std::string> lines = OutputNotes(report);
  if (lines.empty()) return;
  page->Gap();
  std::string label = "outputs";
  for (const std::string& text : lines) {
    page->Entry(label, text, Ink::kDim, Ink::kPlain);
    label.clear();
  }
}

void WriteCause(const Report& report, TextPage* page) {
  std::string label = "cause";
  for (const std::string& text : CauseNotes(report)) {
    if (!label.empty() && OutputNotes(report).empty()) page->Gap();
    page->Entry(label, text, Ink::kDim, Ink::kPlain);
    label.clear();
  }
}

void WriteFeatures(const Report& report, TextPage* page) {
  if (report.features.empty()) return;
  const std::vector<FeatureCounts> called = CalledFeatures(report);
  std::size_t name_columns = kLabel;
  for (const FeatureCounts& feature : called) {
    name_columns = std::max(name_columns, Columns(Printable(feature.name)) + 1);
  }
  page->Gap();
  if (!called.empty()) {
    page->Line({{Left("features", name_columns) + Right("by Kwker", 10) + Right("by torch", 10),
                 Ink::kDim}});
  }
  for (const FeatureCounts& feature : called) {
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
  if (const std::vector<std::string> idle = IdleFeatures(report); !idle.empty()) {
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
  const std::string method = Method(report);
  if (method.empty()) return;
  page->Gap();
  page->Entry("", method, Ink::kDim, Ink::kDim, 0);
}

}  // namespace

std::string FormatText(const Report& report, const TextStyle& style) {
  TextPage page(style);
  page.Parts(HeadlineParts(report));
  WriteSubject(report, &page);
  WriteFailure(report, &page);
  WriteTable(report, &page);
  WriteOutputs(report, &page);
  WriteCause(report, &page);
  WriteFeatures(report, &page);
  WriteGates(report, &page);
  WriteWarnings(report, &page);
  WriteMethod(report, &page);
  return page.Take();
}

}  // namespace kwker::audit

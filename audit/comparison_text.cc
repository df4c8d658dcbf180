#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "audit/comparison.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

Span Headline(const Comparison& comparison) {
  if (comparison.changes.empty()) {
    return {"speed-up cannot be compared: a report has no finished pair", Ink::kDoubt};
  }
  const Change& change = comparison.changes[0];
  const std::string to = fmt::format("{:.2f}x, before {:.2f}x", change.new_value, change.old_value);
  switch (comparison.speed) {
    case Speed::kFaster:
      return {"speed-up grew: " + to, Ink::kGood};
    case Speed::kSlower:
      return {"speed-up shrank: " + to, Ink::kBad};
    case Speed::kNoDifference:
      return {"same speed-up: " + to, Ink::kBold};
    case Speed::kInconclusive:
      break;
  }
  return {"speed-up may be the same or not: " + to, Ink::kDoubt};
}

Span OutputsPart(const Comparison& comparison) {
  if (!comparison.same_outputs) return {"outputs not compared", Ink::kDoubt};
  if (*comparison.same_outputs) return {"same outputs with Kwker in both", Ink::kGood};
  return {"other outputs, first in " + Printable(comparison.first_difference), Ink::kBad};
}

void WriteTable(const Comparison& comparison, TextPage* page) {
  if (comparison.changes.empty()) return;
  page->Gap();
  const auto line = [page](const std::string& label, const std::string& old_value,
                           const std::string& new_value, const std::string& ratio,
                           const std::string& interval, Ink ink) {
    std::string text = Right(old_value, 9) + Right(new_value, 9) + Right(ratio, 9);
    if (page->width() >= 60) text += Right(interval, 14);
    page->Line({{Left(label, TextPage::kLabel), Ink::kDim}, {text, ink}});
  };
  line("", "before", "now", "ratio", "95%", Ink::kDim);
  for (const Change& change : comparison.changes) {
    const bool times = change.name != "speed-up";
    const auto value = [times](double number) {
      return times ? FormatSeconds(number) : fmt::format("{:.2f}x", number);
    };
    line(change.name, value(change.old_value), value(change.new_value), FormatRatio(change.ratio),
         change.ratio.interval ? FormatInterval(change.ratio) : "", Ink::kPlain);
  }
  const auto& old_memory = comparison.before.memory_with;
  const auto& new_memory = comparison.after.memory_with;
  if (old_memory && new_memory && *old_memory > 0) {
    line(
        "memory, with", FormatBytes(*old_memory), FormatBytes(*new_memory),
        fmt::format("{:.2f}x", static_cast<double>(*new_memory) / static_cast<double>(*old_memory)),
        "", Ink::kPlain);
  }
}

void WriteList(const std::string& label, const std::vector<std::string>& lines, TextPage* page) {
  if (lines.empty()) return;
  page->Gap();
  std::string head = label;
  for (const std::string& line : lines) {
    page->Entry(head, Printable(line), Ink::kDim, Ink::kPlain);
    head.clear();
  }
}

nlohmann::ordered_json Number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

}  // namespace

std::string FormatComparison(const Comparison& comparison, const TextStyle& style) {
  TextPage page(style);
  page.Parts({Headline(comparison), OutputsPart(comparison)});
  page.Parts(
      {{fmt::format("before: {}, {}, outputs {}", Printable(comparison.before.started),
                    Printable(comparison.before.speed), Printable(comparison.before.outputs)),
        Ink::kDim},
       {fmt::format("now: {}, {}, outputs {}", Printable(comparison.after.started),
                    Printable(comparison.after.speed), Printable(comparison.after.outputs)),
        Ink::kDim}});
  WriteTable(comparison, &page);
  WriteList("features", comparison.features, &page);
  WriteList("not the same", comparison.differing_circumstances, &page);
  if (!comparison.changes.empty()) {
    page.Gap();
    page.Entry(
        "",
        "Ratios are now over before: of the speed-up above 1x is better, of times below. 95% "
        "intervals by Welch's t on logarithms.",
        Ink::kDim, Ink::kDim, 0);
  }
  return page.Take();
}

std::string FormatComparisonJson(const Comparison& comparison) {
  using json = nlohmann::ordered_json;
  json changes = json::object();
  for (const Change& change : comparison.changes) {
    json entry = {{"before", Number(change.old_value)},
                  {"now", Number(change.new_value)},
                  {"ratio", Number(change.ratio.estimate.value_or(NAN))},
                  {"low", nullptr},
                  {"high", nullptr}};
    if (change.ratio.interval) {
      entry["low"] = Number(change.ratio.interval->low);
      entry["high"] = Number(change.ratio.interval->high);
    }
    changes[change.name == "speed-up" ? "speedup" : change.name + "_wall_s"] = entry;
  }
  const char* speedup = comparison.speed == Speed::kFaster         ? "grew"
                        : comparison.speed == Speed::kSlower       ? "shrank"
                        : comparison.speed == Speed::kNoDifference ? "no difference"
                                                                   : "inconclusive";
  const char* outputs = !comparison.same_outputs   ? "unknown"
                        : *comparison.same_outputs ? "equal"
                                                   : "different";
  const json document = {
      {"schema", kComparisonSchema},
      {"verdict", {{"speedup", speedup}, {"outputs", outputs}}},
      {"changes", changes},
      {"first_difference",
       comparison.first_difference.empty() ? json(nullptr) : json(comparison.first_difference)},
      {"features", comparison.features},
      {"not_the_same", comparison.differing_circumstances},
      {"before", {{"started", comparison.before.started}}},
      {"now", {{"started", comparison.after.started}}}};
  return document.dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace) + "\n";
}

}  // namespace kwker::audit

#include "audit/headline.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "audit/pairs.h"
#include "audit/utf8.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

// "95% 1.31–1.44, 8 pairs"
std::string Evidence(const RatioEstimate& speedup) {
  const std::string pairs = Plural(speedup.pairs, "pair");
  return speedup.interval ? fmt::format("95% {}, {}", FormatInterval(speedup), pairs) : pairs;
}

Span SpeedPart(const Report& report) {
  const RatioEstimate& speedup = report.speedup;
  if (!speedup.estimate) {
    const bool none = FinishedPairs(report.runs).empty();
    return {none ? "speed not measured: no pair of runs finished" : "speed could not be measured",
            Ink::kDoubt};
  }
  const std::string ratio = FormatRatio(speedup);
  const std::string evidence = Evidence(speedup);
  switch (report.speed) {
    case Speed::kFaster:
      return {fmt::format("{} faster ({})", ratio, evidence), Ink::kGood};
    case Speed::kSlower:
      return {fmt::format("slower: {} ({})", ratio, evidence), Ink::kBad};
    case Speed::kNoDifference:
      return {fmt::format("no difference in speed ({}, {})", ratio, evidence), Ink::kBold};
    case Speed::kInconclusive:
      break;
  }
  return {fmt::format("speed inconclusive ({}, {})", ratio, evidence), Ink::kDoubt};
}

// ", because of optim.adamw", where that is known.
std::string Because(const Report& report) {
  const std::vector<std::string> causes = Causes(report);
  if (causes.empty()) return "";
  return Printable(fmt::format(", because of {}", fmt::join(causes, ", ")));
}

Span OutputsPart(const Report& report) {
  const OutputsVerdict& outputs = report.outputs;
  switch (outputs.equality) {
    case Equality::kEqual:
      return {fmt::format("outputs equal to the bit ({}, {})",
                          Plural(outputs.count, outputs.tensors ? "tensor" : "value"),
                          FormatBytes(outputs.bytes)),
              Ink::kGood};
    case Equality::kDifferent:
      if (!outputs.first_difference) return {"OUTPUTS DIFFERENT", Ink::kBad};
      return {fmt::format("OUTPUTS DIFFERENT, first in {}{}",
                          Printable(outputs.first_difference->name), Because(report)),
              Ink::kBad};
    case Equality::kUnknown:
      break;
  }
  if (outputs.deterministic == false) return {"outputs unknown: not deterministic", Ink::kDoubt};
  if (outputs.deterministic_with == false) {
    return {
        fmt::format("outputs unknown: runs {} differ among themselves", report.setup.words.runs_b),
        Ink::kDoubt};
  }
  return {"outputs unknown", Ink::kDoubt};
}

// ": exit status 3", of the run because of which the audit ended.
std::string How(const Report& report) {
  const RunOutcome* failed = FailedRun(report);
  if (failed == nullptr) return "";
  const std::optional<double>& limit = report.setup.options.timeout_s;
  if (failed->end == RunEnd::kTimeout && limit) {
    return fmt::format(": it takes longer than --timeout {} s", *limit);
  }
  return ": " + DescribeEnd(*failed);
}

}  // namespace

std::vector<Span> HeadlineParts(const Report& report) {
  const SideWords& words = report.setup.words;
  switch (report.ending) {
    case Ending::kScriptFailed:
      return {{fmt::format("the script fails {}{}", words.runs_a, How(report)), Ink::kBad}};
    case Ending::kKwkerFailed:
      return {{fmt::format("{}: the script fails only {}{}",
                           words == SideWords() ? "KWKER FAILED" : "B FAILED", words.runs_b,
                           How(report) + Because(report)),
               Ink::kBad}};
    case Ending::kCannotRun:
      return {{"the audit could not go on: " + Printable(report.error), Ink::kBad}};
    case Ending::kRunning:
    case Ending::kCompleted:
    case Ending::kInterrupted:
      break;
  }
  std::vector<Span> parts = {SpeedPart(report), OutputsPart(report)};
  if (report.outputs.equality == Equality::kDifferent) {
    // No speed makes up for wrong results: they come first.
    parts[0].ink = Ink::kPlain;
    std::swap(parts[0], parts[1]);
  }
  if (report.ending == Ending::kInterrupted) {
    const auto finished = static_cast<std::int64_t>(FinishedPairs(report.runs).size());
    const Options& options = report.setup.options;
    parts.push_back(
        {options.max_pairs
             ? fmt::format("interrupted: {} finished", Plural(finished, "pair"))
             : fmt::format("interrupted: {} of {} pairs finished", finished, options.pairs),
         Ink::kDoubt});
  }
  return parts;
}

std::string Headline(const Report& report) {
  std::string line;
  for (const Span& part : HeadlineParts(report)) {
    if (!line.empty()) line += " · ";
    line += part.text;
  }
  return line;
}

}  // namespace kwker::audit

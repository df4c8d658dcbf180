// Two reports held against each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit/past_report.h"
#include "audit/statistics.h"
#include "audit/text_page.h"
#include "audit/verdict.h"

namespace kwker::audit {

inline constexpr char kComparisonSchema[] = "kwker.compare/1";

struct Change {
  std::string name;      // "speed-up", "without", "with"
  double old_value = 0;  // the ratio, or the median of seconds
  double new_value = 0;
  RatioEstimate ratio;  // new over old
};

struct Comparison {
  PastReport before, after;
  // Of the speed-up: faster is better. Of machines that differ it is what can be
  // compared; the times themselves cannot.
  Speed speed = Speed::kInconclusive;
  std::vector<Change> changes;  // those for which both reports have times
  // Whether the runs with Kwker left the same in both; absent: one left nothing.
  std::optional<bool> same_outputs;
  std::string first_difference;                      // the output's name; empty: none
  std::vector<std::string> differing_circumstances;  // "torch: 2.13.0, before 2.12.0"
  std::vector<std::string> features;                 // "optim.sgd: 240 calls by Kwker, before 0"
};

// Intervals are by Welch's t on logarithms: the pairs of one audit have nothing to
// do with those of the other.
Comparison Compare(PastReport before, PastReport after);

std::string FormatComparison(const Comparison& comparison, const TextStyle& style);
std::string FormatComparisonJson(const Comparison& comparison);

}  // namespace kwker::audit

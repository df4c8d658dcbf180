// A JSON report of an earlier audit, read again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/parsed.h"
#include "audit/run.h"
#include "audit/statistics.h"

namespace kwker::audit {

struct PastReport {
  // Where and of what: "script": "train.py --epochs 1", "torch": "2.13.0+cpu", ...
  std::map<std::string, std::string> circumstances;
  std::string started;
  std::string speed, outputs;  // the verdicts
  RatioEstimate speedup;
  // Script's wall times of the finished pairs, in seconds, in the pairs' order.
  std::vector<double> without, with;
  std::optional<std::int64_t> memory_without, memory_with;
  std::vector<FeatureCounts> features;
  std::vector<Output> outputs_with;  // of the last run with Kwker that has any
};

// Never throws; the error is one line without the file's name. Members that are
// not known are ignored.
Parsed<PastReport> ParseReport(std::string_view text);

}  // namespace kwker::audit

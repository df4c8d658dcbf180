// What reports for people say, in whatever form they are written. All texts are
// fit to be shown: control characters are gone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/report.h"

namespace kwker::audit {

// The script's command line, words with blanks in quotes.
std::string CommandLine(const Setup& setup);

// "torch 2.13.0+cpu AVX512, 2 threads", "Python 3.11.7"; what is known of it. And
// whether each run had its own copy of the folder.
std::vector<std::string> Platform(const Report& report);

// Variables of Kwker's that were set: "KWKER_DISABLE=optim.sgd".
std::vector<std::string> KwkerEnvironment(const Report& report);

// "A: kwker=off", "B: threads:1 · torch 2.13.0+cpu AVX512, 1 thread", where --a or --b were given:
// with what is known of a side and not the same on the other.
std::vector<std::string> SideSpecs(const Report& report);

struct TimesRow {
  std::string label, without, with, ratio, interval;  // empty: not known
};

// The clocks' medians and ratios, and the memory's. Empty without a finished pair.
std::vector<TimesRow> TimesTable(const Report& report);

// What there is to say of the outputs beyond the headline: the reason of the
// verdict, the first difference, what to do, NaNs.
std::vector<std::string> OutputNotes(const Report& report);

// What was found out of why the sides differ.
std::vector<std::string> CauseNotes(const Report& report);

struct RunRow {
  const RunOutcome* run = nullptr;
  std::string what;  // "warm-up", "3" for the third pair, "once more", "without optim.adamw"
};

// All runs, those that explain a difference at the end.
std::vector<RunRow> RunRows(const Report& report);

// The last lines that the run printed to stderr because of which the audit ended.
// `failed`: whether there is such a run.
std::vector<std::string> LastWords(const Report& report, bool* failed);

// Calls that went to torch's code.
std::int64_t Fallen(const FeatureCounts& feature);

// "amsgrad 2, sparse gradient 1".
std::string Reasons(const FeatureCounts& feature);

// Those that had calls; the names of those that had none.
std::vector<FeatureCounts> CalledFeatures(const Report& report);
std::vector<std::string> IdleFeatures(const Report& report);

// How the figures came about; empty if there is no interval.
std::string Method(const Report& report);

}  // namespace kwker::audit

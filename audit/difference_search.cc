#include "audit/difference_search.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "audit/compare_outputs.h"

namespace kwker::audit {
namespace {

using Names = std::vector<std::string>;

bool HasOutputs(const RunOutcome& run) { return run.end == RunEnd::kOk && run.result.has_value(); }

class Search {
 public:
  Search(std::span<const RunOutcome> runs, const OutputsVerdict& verdict, const SearchHooks& hooks)
      : runs_(runs), verdict_(verdict), hooks_(hooks) {
    fails_ = std::any_of(runs.begin(), runs.end(), [](const RunOutcome& run) {
      return run.request.side == Side::kB && Failed(run);
    });
    baseline_ = First([](const RunOutcome& run) {
      return run.request.side == Side::kA && HasOutputs(run) && run.result->incomplete.empty();
    });
    if (baseline_ == nullptr) {
      baseline_ = First(
          [](const RunOutcome& run) { return run.request.side == Side::kA && HasOutputs(run); });
    }
  }

  Explanation Run(bool with_kwker) {
    if (!fails_ && baseline_ != nullptr) {
      CountDifferences();
      LookCloser();
    }
    if (with_kwker && (fails_ || baseline_ != nullptr)) FindFeatures();
    return std::move(explanation_);
  }

 private:
  template <class Condition>
  const RunOutcome* First(Condition condition) const {
    const auto found = std::find_if(runs_.begin(), runs_.end(), condition);
    return found == runs_.end() ? nullptr : &*found;
  }

  void CountDifferences() {
    const RunOutcome* odd = First([this](const RunOutcome& run) {
      return run.request.side == Side::kB && HasOutputs(run) && Differs(run).value_or(false);
    });
    explanation_.outputs = static_cast<std::int64_t>(baseline_->result->outputs.size());
    if (odd != nullptr) {
      explanation_.differing = DifferingOutputs(*baseline_->result, *odd->result);
    }
  }

  // By how much the first output that differs does so.
  void LookCloser() {
    const auto& first = verdict_.first_difference;
    if (!first || !first->what.starts_with("bits")) return;
    RunRequest request;
    request.keep = first->name;
    const RunOutcome* without = MakeProbe(request);
    if (without == nullptr) return;
    const std::filesystem::path left = without->kept;
    request.side = Side::kB;
    const RunOutcome* with = MakeProbe(request);
    const std::filesystem::path right = with == nullptr ? "" : with->kept;
    if (!left.empty() && !right.empty()) explanation_.elements = CompareKept(left, right);
    std::error_code ignored;
    for (const auto& file : {left, right}) std::filesystem::remove(file, ignored);
  }

  void FindFeatures() {
    Names suspects;
    const std::size_t called = ListSuspects(&suspects);
    if (suspects.empty() || !HappensAgain()) return;
    explanation_.culprits = FindCulprits(suspects, called, [&](const Names& on) {
      RunRequest request;
      request.side = Side::kB;
      for (const std::string& name : suspects) {
        if (std::find(on.begin(), on.end(), name) == on.end()) request.off.push_back(name);
      }
      const RunOutcome* run = MakeProbe(request);
      return run == nullptr ? std::nullopt : explanation_.probes.back().differs;
    });
    if (explanation_.culprits->end != SearchEnd::kUnfinished) explanation_.unfinished.clear();
  }

  // What came once, by chance, would be held against the first feature that is off
  // when it does not come. Outputs that are different have differed more than once.
  bool HappensAgain() {
    if (fails_) {
      RunRequest request;
      request.side = Side::kB;
      MakeProbe(request);
    }
    for (const Probe& probe : explanation_.probes) {
      const bool with = probe.outcome.request.side == Side::kB;
      if (probe.differs == with) continue;
      if (probe.differs) {
        explanation_.unfinished =
            with ? "it did not happen again"
                 : "a further run of the other side differed from those before";
      }
      explanation_.culprits = Culprits{};
      return false;
    }
    return true;
  }

  // The features that are on with Kwker, those with calls first; the number of these.
  std::size_t ListSuspects(Names* suspects) const {
    const auto last = std::find_if(runs_.rbegin(), runs_.rend(), [](const RunOutcome& run) {
      return run.request.side == Side::kB && run.result && !run.result->features.empty();
    });
    if (last == runs_.rend()) return 0;
    std::size_t called = 0;
    for (const FeatureCounts& feature : last->result->features) {
      if (feature.state != "on") continue;
      const bool likely = feature.calls > 0;
      suspects->insert(
          likely ? suspects->begin() + static_cast<std::ptrdiff_t>(called) : suspects->end(),
          feature.name);
      called += likely;
    }
    return called;
  }

  // Whether it differs from the baseline, or fails where that is what is looked into.
  std::optional<bool> Differs(const RunOutcome& run) const {
    if (fails_) return Failed(run);
    if (!HasOutputs(run)) return std::nullopt;
    return FirstDifference(*baseline_->result, *run.result, "", "").has_value();
  }

  // Absent: it may not be made, or says nothing; explanation_.unfinished says why.
  const RunOutcome* MakeProbe(RunRequest request) {
    request.probe = true;
    explanation_.unfinished = hooks_.why_not(request.side);
    if (!explanation_.unfinished.empty()) return nullptr;
    RunOutcome outcome;
    try {
      outcome = hooks_.run(request);
    } catch (const RunError& e) {
      explanation_.unfinished = e.what();
      return nullptr;
    }
    Probe& probe = explanation_.probes.emplace_back();
    probe.outcome = std::move(outcome);
    if (probe.outcome.end == RunEnd::kInterrupted) {
      explanation_.unfinished = "it was interrupted";
      return nullptr;
    }
    probe.differs = Differs(probe.outcome);
    if (probe.differs) return &probe.outcome;
    const std::string how = Failed(probe.outcome) ? DescribeEnd(probe.outcome) : "no outputs";
    const std::string which =
        request.off.empty() ? "" : fmt::format(" without {}", fmt::join(request.off, ", "));
    explanation_.unfinished = fmt::format("a run{} ended with {}", which, how);
    return nullptr;
  }

  std::span<const RunOutcome> runs_;
  const OutputsVerdict& verdict_;
  const SearchHooks& hooks_;
  bool fails_ = false;
  const RunOutcome* baseline_ = nullptr;
  Explanation explanation_;
};

}  // namespace

Explanation ExplainDifference(std::span<const RunOutcome> runs, const OutputsVerdict& verdict,
                              bool with_kwker, const SearchHooks& hooks) {
  return Search(runs, verdict, hooks).Run(with_kwker);
}

}  // namespace kwker::audit

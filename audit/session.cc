#include "audit/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/difference_search.h"
#include "audit/pair_plan.h"
#include "audit/schedule.h"
#include "audit/speed.h"
#include "audit/time_left.h"

namespace kwker::audit {
namespace {

// What a single pair needs.
constexpr int kMostConfirmations = kAgreeWithout - 1 + kDifferWith - 1;

class Session {
 public:
  Session(const Setup& setup, const RunFunction& run, const SessionHooks& hooks)
      : setup_(setup), run_(run), hooks_(hooks), start_(Now()) {}

  Report Run() {
    std::string error;
    Ending ending = Ending::kCompleted;
    try {
      ending = RunSchedule();
    } catch (const RunError& e) {
      ending = Ending::kCannotRun;
      error = e.what();
    }
    std::optional<Explanation> explanation = Explain(&ending);
    if (hooks_.progress != nullptr) hooks_.progress->Finish();
    return MakeReport(setup_, std::move(runs_), ending,
                      {std::move(error), stop_, std::move(explanation)});
  }

 private:
  Ending RunSchedule() {
    const std::vector<RunRequest> warm_ups = MakeWarmUps(setup_.options.warmup);
    const int others = static_cast<int>(warm_ups.size());
    total_ = others + 2 * setup_.options.pairs;
    if (const auto ending = RunAll(warm_ups)) return *ending;
    for (int pair = 0;; ++pair) {
      const PairPlan plan = PlanPairs(setup_.options, Known(pair));
      next_look_ = plan.next_look;
      total_ = others + 2 * plan.pairs;
      stop_ = plan.stop;
      if (stop_) break;
      if (const auto ending = RunAll(MakePair(pair, static_cast<int>(runs_.size())))) {
        return *ending;
      }
      if (hooks_.after_pair) hooks_.after_pair(MakeReport(setup_, runs_, Ending::kRunning));
    }
    return Confirm();
  }

  // There: the audit ends with one of them.
  std::optional<Ending> RunAll(const std::vector<RunRequest>& requests) {
    for (const RunRequest& request : requests) {
      if (Interrupted()) return Ending::kInterrupted;
      const RunOutcome& outcome = RunOne(request);
      if (outcome.end == RunEnd::kInterrupted) return Ending::kInterrupted;
      if (!Failed(outcome)) continue;
      return request.side == Side::kA ? Ending::kScriptFailed : WhoFailed();
    }
    return std::nullopt;
  }

  SoFar Known(int pairs) const {
    const double a = time_left_.OneRun(Side::kA).value_or(0);
    const double b = time_left_.OneRun(Side::kB).value_or(0);
    const RatioEstimate speedup = MeasureSpeed(runs_, HowMany(setup_.options)).wall;
    return {pairs, next_look_, speedup, Now() - start_, a + b};
  }

  // The sides differ, but in too few runs to be sure: a few more.
  Ending Confirm() {
    for (int more = 0; more < kMostConfirmations; ++more) {
      const std::optional<Side> side = JudgeOutputs(runs_, setup_.words).another_run_of;
      if (!side) break;
      if (Interrupted()) return Ending::kInterrupted;
      const RunOutcome& outcome = RunOne(UncountedRun(*side));
      if (outcome.end == RunEnd::kInterrupted) return Ending::kInterrupted;
      if (Failed(outcome)) return *side == Side::kA ? Ending::kScriptFailed : WhoFailed();
    }
    return Ending::kCompleted;
  }

  RunRequest UncountedRun(Side side) const {
    RunRequest request;
    request.side = side;
    request.order = static_cast<int>(runs_.size());
    return request;
  }

  // After a failure with Kwker: does the script still pass without it?
  Ending WhoFailed() {
    if (Interrupted()) return Ending::kInterrupted;
    const RunOutcome& outcome = RunOne(UncountedRun(Side::kA));
    if (outcome.end == RunEnd::kInterrupted) return Ending::kInterrupted;
    return Failed(outcome) ? Ending::kScriptFailed : Ending::kKwkerFailed;
  }

  const RunOutcome& RunOne(const RunRequest& request) {
    runs_.push_back(CarryOut(request));
    return runs_.back();
  }

  RunOutcome CarryOut(const RunRequest& request) {
    if (hooks_.progress != nullptr) hooks_.progress->RunStarts(request, request.order, total_);
    RunOutcome outcome = run_(request);
    outcome.request = request;
    time_left_.RunEnded(request.side, outcome.usage.wall_s);
    if (hooks_.progress != nullptr) hooks_.progress->RunEnded(outcome);
    return outcome;
  }

  // Why the outputs are different, where they are.
  std::optional<Explanation> Explain(Ending* ending) {
    if (*ending != Ending::kCompleted && *ending != Ending::kKwkerFailed) return std::nullopt;
    const OutputsVerdict verdict = JudgeOutputs(runs_, setup_.words);
    if (verdict.equality != Equality::kDifferent) return std::nullopt;
    int order = static_cast<int>(runs_.size());
    const double start = Now();
    SearchHooks hooks;
    hooks.run = [this, &order](RunRequest request) {
      request.order = order++;
      return CarryOut(request);
    };
    hooks.why_not = [this, start](Side side) { return WhyNotSearch(side, start); };
    Explanation explanation = ExplainDifference(runs_, verdict, setup_.kwker_in_b, hooks);
    const bool interrupted =
        Interrupted() ||
        std::any_of(explanation.probes.begin(), explanation.probes.end(),
                    [](const Probe& probe) { return probe.outcome.end == RunEnd::kInterrupted; });
    if (interrupted && *ending == Ending::kCompleted) *ending = Ending::kInterrupted;
    return explanation;
  }

  std::string WhyNotSearch(Side side, double start) const {
    if (Interrupted()) return "it was interrupted";
    const double now = Now(), run = time_left_.OneRun(side).value_or(0);
    const std::optional<double>& limit = setup_.options.max_time_s;
    if (limit && now + run - start_ > *limit) {
      return fmt::format("the time (--max-time {}) is over", *limit);
    }
    if (!limit && now + run - start > kPatience) {
      return fmt::format("it would take more than {} s (--max-time gives it more)", kPatience);
    }
    return "";
  }

  double Now() const {
    if (hooks_.seconds) return hooks_.seconds();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }

  bool Interrupted() const { return hooks_.interrupted && hooks_.interrupted(); }

  const Setup& setup_;
  const RunFunction& run_;
  const SessionHooks& hooks_;
  const double start_;
  int total_ = 0;  // runs that there will be, as it looks now
  int next_look_ = 0;
  std::optional<Stop> stop_;
  TimeLeft time_left_;
  std::vector<RunOutcome> runs_;
};

}  // namespace

Report RunAudit(const Setup& setup, const RunFunction& run, const SessionHooks& hooks) {
  return Session(setup, run, hooks).Run();
}

}  // namespace kwker::audit

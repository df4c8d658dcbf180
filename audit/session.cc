#include "audit/session.h"

#include <optional>
#include <utility>
#include <vector>

#include "audit/schedule.h"

namespace kwker::audit {
namespace {

// What a single pair needs.
constexpr int kMostConfirmations = kAgreeWithout - 1 + kDifferWith - 1;

class Session {
 public:
  Session(const Setup& setup, const RunFunction& run, const SessionHooks& hooks)
      : setup_(setup), run_(run), hooks_(hooks) {}

  Report Run() {
    std::string error;
    Ending ending = Ending::kCompleted;
    try {
      ending = RunSchedule();
    } catch (const RunError& e) {
      ending = Ending::kCannotRun;
      error = e.what();
    }
    if (hooks_.progress != nullptr) hooks_.progress->Finish();
    return MakeReport(setup_, std::move(runs_), ending, std::move(error));
  }

 private:
  Ending RunSchedule() {
    const std::vector<RunRequest> schedule =
        MakeSchedule(setup_.options.warmup, setup_.options.pairs);
    total_ = static_cast<int>(schedule.size());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (Interrupted()) return Ending::kInterrupted;
      const RunOutcome& outcome = RunOne(schedule[i]);
      if (outcome.end == RunEnd::kInterrupted) return Ending::kInterrupted;
      if (Failed(outcome)) {
        return outcome.request.side == Side::kA ? Ending::kScriptFailed : WhoFailed();
      }
      const bool last_of_pair = schedule[i].pair >= 0 && (i + 1 == schedule.size() ||
                                                          schedule[i + 1].pair != schedule[i].pair);
      if (last_of_pair && hooks_.after_pair) {
        hooks_.after_pair(MakeReport(setup_, runs_, Ending::kRunning));
      }
    }
    return Confirm();
  }

  // The sides differ, but in too few runs to be sure: a few more.
  Ending Confirm() {
    for (int more = 0; more < kMostConfirmations; ++more) {
      const std::optional<Side> side = JudgeOutputs(runs_).another_run_of;
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
    if (hooks_.progress != nullptr) hooks_.progress->RunStarts(request, request.order, total_);
    runs_.push_back(run_(request));
    runs_.back().request = request;
    if (hooks_.progress != nullptr) hooks_.progress->RunEnded(runs_.back());
    return runs_.back();
  }

  bool Interrupted() const { return hooks_.interrupted && hooks_.interrupted(); }

  const Setup& setup_;
  const RunFunction& run_;
  const SessionHooks& hooks_;
  int total_ = 0;
  std::vector<RunOutcome> runs_;
};

}  // namespace

Report RunAudit(const Setup& setup, const RunFunction& run, const SessionHooks& hooks) {
  return Session(setup, run, hooks).Run();
}

}  // namespace kwker::audit

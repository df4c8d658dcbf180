#include "audit/difference_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "audit/testing.h"

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

using testing::MakeOutput;
using testing::MakeRun;
using Names = std::vector<std::string>;

bool Contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A script whose second output is another where optim.sgd is on.
class DifferenceSearchTest : public ::testing::Test {
 protected:
  static void MakeWrong(RunOutcome* run) {
    if (run->request.side != Side::kB || Contains(run->request.off, "optim.sgd")) return;
    run->result->outputs[1] = MakeOutput("backward[0]", 99);
  }

  // Both sides of two pairs, then the explanation.
  Explanation Explain(bool with_kwker = true) {
    runs_.clear();
    for (const Side side : {Side::kA, Side::kB, Side::kB, Side::kA, Side::kA}) {
      runs_.push_back(Run({.side = side, .order = static_cast<int>(runs_.size())}));
    }
    probes_.clear();
    const SearchHooks hooks = {[this](const RunRequest& request) {
                                 probes_.push_back(request);
                                 return Run(request);
                               },
                               why_not_};
    return ExplainDifference(runs_, JudgeOutputs(runs_), with_kwker, hooks);
  }

  RunOutcome Run(const RunRequest& request) {
    RunOutcome run = MakeRun(request, 8);
    meddle_(&run);
    if (!request.keep.empty() && keeps_) {
      run.kept = fs::path(::testing::TempDir()) / ("kept" + std::to_string(files_++));
      std::ofstream(run.kept) << R"({"name":"backward[0]","dtype":"int8","shape":[2],"bytes":2})"
                              << '\n'
                              << 'a' << (request.side == Side::kA ? 'b' : 'd');
    }
    return run;
  }

  std::function<void(RunOutcome*)> meddle_ = MakeWrong;
  std::function<std::string(Side)> why_not_ = [](Side) { return ""; };
  bool keeps_ = true;
  int files_ = 0;
  std::vector<RunOutcome> runs_;
  std::vector<RunRequest> probes_;
};

TEST_F(DifferenceSearchTest, NamesTheFeatureAndHowFarApart) {
  const Explanation found = Explain();
  ASSERT_TRUE(found.culprits);
  EXPECT_EQ(found.culprits->end, SearchEnd::kFeatures);
  EXPECT_EQ(found.culprits->features, Names{"optim.sgd"});
  EXPECT_EQ(found.outputs, 2);
  EXPECT_EQ(found.differing, 1);
  ASSERT_TRUE(found.elements);
  EXPECT_EQ(found.elements->name, "backward[0]");
  EXPECT_EQ(found.elements->differing, 1);
  EXPECT_EQ(found.elements->first, 1);
  EXPECT_EQ(found.elements->largest, 2);
  EXPECT_EQ(found.unfinished, "");
  ASSERT_EQ(found.probes.size(), probes_.size());
  EXPECT_EQ(found.probes[0].differs, false);
  EXPECT_EQ(found.probes[1].differs, true);
  EXPECT_EQ(probes_[0].keep, "backward[0]");
  EXPECT_EQ(probes_[0].side, Side::kA);
  EXPECT_EQ(probes_[2].off, (Names{"optim.adamw", "optim.sgd"}));
  for (const Probe& probe : found.probes) EXPECT_FALSE(fs::exists(probe.outcome.kept));
}

TEST_F(DifferenceSearchTest, WhatWasCalledIsTriedFirst) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.side != Side::kB) return;
    run->result->features = {{"a", "on", 0, {}},
                             {"b", "off", 0, {}},
                             {"c", "on", 3, {}},
                             {"d", "on", 0, {}},
                             {"e", "failed self-check", 0, {}}};
    if (!Contains(run->request.off, "c")) run->result->outputs.pop_back();
  };
  const Explanation found = Explain();
  EXPECT_EQ(found.culprits->features, Names{"c"});
  // No values are kept of an output that is missing on one side.
  ASSERT_EQ(probes_.size(), 3u);
  EXPECT_EQ(probes_[0].off, (Names{"c", "a", "d"}));
  EXPECT_EQ(probes_[1].off, (Names{"a", "d"}));
  EXPECT_EQ(probes_[2].off, Names{"c"});
  EXPECT_FALSE(found.elements);
}

TEST_F(DifferenceSearchTest, NoFeaturesDoing) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.side == Side::kB) run->result->outputs.pop_back();
  };
  const Explanation found = Explain();
  EXPECT_EQ(found.culprits->end, SearchEnd::kNotFeatures);
  EXPECT_EQ(probes_.size(), 1u);
  EXPECT_FALSE(Explain(/*with_kwker=*/false).culprits);
  EXPECT_EQ(probes_.size(), 0u);
}

TEST_F(DifferenceSearchTest, WhatFailsWithAFeature) {
  meddle_ = [](RunOutcome* run) {
    if (run->request.side != Side::kB || Contains(run->request.off, "optim.adamw")) return;
    run->end = RunEnd::kExit;
    run->exit_code = 1;
  };
  const Explanation found = Explain();
  EXPECT_EQ(found.culprits->features, Names{"optim.adamw"});
  ASSERT_EQ(probes_.size(), 4u);  // the first: whether it fails again
  EXPECT_TRUE(probes_[0].off.empty());
  for (const RunRequest& probe : probes_) EXPECT_EQ(probe.keep, "");
}

TEST_F(DifferenceSearchTest, ARunThatCannotTell) {
  meddle_ = [](RunOutcome* run) {
    MakeWrong(run);
    if (run->request.off.empty()) return;
    run->end = RunEnd::kExit;
    run->exit_code = 3;
  };
  Explanation found = Explain();
  EXPECT_EQ(found.culprits->end, SearchEnd::kUnfinished);
  EXPECT_EQ(found.unfinished, "a run without optim.adamw, optim.sgd ended with exit status 3");
  EXPECT_TRUE(found.elements);
  meddle_ = [](RunOutcome* run) {
    MakeWrong(run);
    if (!run->request.off.empty()) throw RunError("the disk is full");
  };
  found = Explain();
  EXPECT_EQ(found.unfinished, "the disk is full");
}

TEST_F(DifferenceSearchTest, EndsWhereNoOtherRunMayBeMade) {
  int left = 0;
  why_not_ = [&left](Side) { return left-- > 0 ? "" : "the time is over"; };
  for (const int runs : {0, 1, 2, 3}) {
    left = runs;
    const Explanation found = Explain();
    EXPECT_EQ(static_cast<int>(probes_.size()), runs);
    EXPECT_EQ(found.culprits->end, SearchEnd::kUnfinished);
    EXPECT_EQ(found.unfinished, "the time is over");
    EXPECT_EQ(found.elements.has_value(), runs >= 2);
  }
}

TEST_F(DifferenceSearchTest, AnInterruptedRun) {
  meddle_ = [](RunOutcome* run) {
    MakeWrong(run);
    if (!run->request.keep.empty()) run->end = RunEnd::kInterrupted;
  };
  // The hooks say so as well, from then on.
  why_not_ = [this](Side) { return probes_.empty() ? "" : "it was interrupted"; };
  const Explanation found = Explain();
  EXPECT_EQ(probes_.size(), 1u);
  EXPECT_EQ(found.unfinished, "it was interrupted");
  EXPECT_EQ(found.culprits->end, SearchEnd::kUnfinished);
}

TEST_F(DifferenceSearchTest, WhatDoesNotHappenAgain) {
  meddle_ = [](RunOutcome* run) {
    if (!run->request.probe) MakeWrong(run);
  };
  const Explanation found = Explain();
  EXPECT_EQ(found.culprits->end, SearchEnd::kUnfinished);
  EXPECT_EQ(found.unfinished, "it did not happen again");
  EXPECT_EQ(probes_.size(), 2u);
}

TEST_F(DifferenceSearchTest, AnotherSideThatIsNotAsBefore) {
  meddle_ = [](RunOutcome* run) {
    MakeWrong(run);
    if (run->request.probe) run->result->outputs[0] = MakeOutput("globals.model.weight", 7);
  };
  const Explanation found = Explain();
  EXPECT_EQ(found.culprits->end, SearchEnd::kUnfinished);
  EXPECT_EQ(found.unfinished, "a further run of the other side differed from those before");
}

TEST_F(DifferenceSearchTest, WhereNothingWasKept) {
  keeps_ = false;
  const Explanation found = Explain();
  EXPECT_FALSE(found.elements);
  EXPECT_EQ(found.culprits->features, Names{"optim.sgd"});
}

}  // namespace
}  // namespace kwker::audit

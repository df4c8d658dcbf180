#include "audit/pairs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "audit/testing.h"

namespace kwker::audit {
namespace {

using testing::MakeRuns;
using testing::MakeSetup;

TEST(FinishedPairs, NeitherWarmUpsNorHalfPairs) {
  std::vector<RunOutcome> runs = MakeRuns(MakeSetup(3), 2, 0);
  EXPECT_EQ(FinishedPairs(runs).size(), 3u);
  runs.pop_back();
  EXPECT_EQ(FinishedPairs(runs).size(), 2u);
  runs[2].end = RunEnd::kInterrupted;
  const std::vector<Pair> pairs = FinishedPairs(runs);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].number, 1);
  EXPECT_EQ(pairs[0].without->request.side, Side::kA);
  EXPECT_EQ(pairs[0].with->request.side, Side::kB);
}

TEST(LogRatios, WithoutOverWith) {
  const std::vector<RunOutcome> runs = MakeRuns(MakeSetup(2), 2, 0);
  const std::vector<double> logs = LogRatios(FinishedPairs(runs), Wall, Basis::kScript);
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_NEAR(logs[0], std::log(2), 1e-12);
  const std::vector<double> process = LogRatios(FinishedPairs(runs), Wall, Basis::kProcess);
  EXPECT_NEAR(process[0], std::log(9.5 / 5.5), 1e-12);
  const std::vector<double> cpu = LogRatios(FinishedPairs(runs), Cpu, Basis::kScript);
  EXPECT_NEAR(cpu[0], std::log(14.5 / 7.3), 1e-12);
}

TEST(LogRatios, AllOrNothing) {
  std::vector<RunOutcome> runs = MakeRuns(MakeSetup(2), 2, 0);
  runs[2].result.reset();
  EXPECT_TRUE(LogRatios(FinishedPairs(runs), Wall, Basis::kScript).empty());
  EXPECT_EQ(LogRatios(FinishedPairs(runs), Wall, Basis::kProcess).size(), 2u);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    runs[3].usage.wall_s = bad;
    EXPECT_TRUE(LogRatios(FinishedPairs(runs), Wall, Basis::kProcess).empty());
  }
}

}  // namespace
}  // namespace kwker::audit

#include "audit/bisection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kwker::audit {
namespace {

using Names = std::vector<std::string>;

Names Suspects(int count) {
  Names names;
  for (int i = 0; i < count; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

// Runs that differ where one of `guilty` is on.
class BisectionTest : public ::testing::Test {
 protected:
  Culprits Find(const Names& suspects, std::size_t likely, const std::set<std::string>& guilty) {
    runs_ = 0;
    return FindCulprits(suspects, likely, [&](const Names& on) -> std::optional<bool> {
      if (++runs_ > most_runs_) return std::nullopt;
      return std::any_of(on.begin(), on.end(),
                         [&](const std::string& name) { return guilty.contains(name); });
    });
  }

  int runs_ = 0;
  int most_runs_ = 1000;
};

TEST_F(BisectionTest, EachOfMany) {
  const Names suspects = Suspects(20);
  for (std::size_t likely = 0; likely <= 20; ++likely) {
    for (const std::string& guilty : suspects) {
      const Culprits culprits = Find(suspects, likely, {guilty});
      EXPECT_EQ(culprits.end, SearchEnd::kFeatures);
      EXPECT_EQ(culprits.features, Names{guilty});
      EXPECT_LE(runs_, 8);
    }
  }
}

TEST_F(BisectionTest, TheLikelyOneTakesThreeRuns) {
  Find(Suspects(20), 1, {"f0"});
  EXPECT_EQ(runs_, 3);
  Find(Suspects(1), 1, {"f0"});
  EXPECT_EQ(runs_, 1);
}

TEST_F(BisectionTest, Several) {
  const Culprits culprits = Find(Suspects(9), 2, {"f1", "f7"});
  EXPECT_EQ(culprits.end, SearchEnd::kFeatures);
  EXPECT_EQ(culprits.features, (Names{"f1", "f7"}));
  EXPECT_EQ(Find(Suspects(9), 0, {"f0", "f3", "f8"}).end, SearchEnd::kFeatures);
  EXPECT_EQ(Find(Suspects(9), 0, {"f0", "f3", "f5", "f8"}).end, SearchEnd::kMany);
}

TEST_F(BisectionTest, NoneOfThem) {
  const Culprits culprits =
      FindCulprits(Suspects(5), 1, [](const Names&) { return std::optional(true); });
  EXPECT_EQ(culprits.end, SearchEnd::kNotFeatures);
  EXPECT_TRUE(culprits.features.empty());
  EXPECT_EQ(Find({}, 0, {}).end, SearchEnd::kNotFeatures);
}

TEST_F(BisectionTest, TwoThatDifferOnlyTogether) {
  const Culprits culprits = FindCulprits(Suspects(6), 0, [](const Names& on) {
    return std::optional(
        std::count(on.begin(), on.end(), "f1") + std::count(on.begin(), on.end(), "f4") == 2);
  });
  EXPECT_EQ(culprits.end, SearchEnd::kFeatures);
  EXPECT_EQ(culprits.features, Names{"f4"});  // to leave one of them out is enough
}

TEST_F(BisectionTest, EndsWhereARunCannotTell) {
  for (most_runs_ = 0; most_runs_ < 3; ++most_runs_) {
    EXPECT_EQ(Find(Suspects(20), 1, {"f0"}).end, SearchEnd::kUnfinished);
  }
  EXPECT_EQ(Find(Suspects(20), 1, {"f0"}).end, SearchEnd::kFeatures);
}

}  // namespace
}  // namespace kwker::audit

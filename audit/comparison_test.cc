#include "audit/comparison.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "audit/report_json.h"
#include "audit/testing.h"
#include "audit/testing_situations.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

using nlohmann::json;

class ComparisonTest : public ::testing::Test {
 protected:
  // An audit that found this speed-up.
  Report Audit(double ratio, double noise = 0.01) const {
    return MakeReport(setup_, testing::MakeRuns(setup_, ratio, noise), Ending::kCompleted);
  }

  static PastReport Past(const Report& report) {
    const Parsed<PastReport> past = ParseReport(FormatJson(report));
    EXPECT_TRUE(past) << past.error;
    return past.value.value_or(PastReport{});
  }

  audit::Setup setup_ = testing::MakeSetup(8);
};

TEST_F(ComparisonTest, ReadsWhatWasWritten) {
  const Report report = Audit(1.3);
  const PastReport past = Past(report);
  EXPECT_EQ(past.speed, "faster");
  EXPECT_EQ(past.outputs, "equal");
  EXPECT_EQ(past.speedup.estimate, report.speedup.estimate);
  EXPECT_EQ(past.without.size(), 8u);
  EXPECT_EQ(past.outputs_with.size(), 2u);
  EXPECT_EQ(past.memory_with, 815'000'000);
  EXPECT_EQ(past.features[0].calls, 240);
  EXPECT_EQ(past.circumstances.at("script"), "train.py --epochs 1");
}

TEST_F(ComparisonTest, EveryReportCanBeRead) {
  for (const testing::Situation& situation : testing::Situations()) {
    const PastReport past = Past(situation.make());
    for (const PastReport& other : {past, Past(Audit(1.3))}) {
      const Comparison comparison = Compare(past, other);
      EXPECT_TRUE(FormatComparison(comparison, {}).ends_with('\n'));
      EXPECT_FALSE(json::parse(FormatComparisonJson(comparison)).empty());
    }
  }
}

TEST_F(ComparisonTest, SpeedUpThatShrank) {
  const Comparison comparison = Compare(Past(Audit(1.5)), Past(Audit(1.2)));
  EXPECT_EQ(comparison.speed, Speed::kSlower);
  EXPECT_EQ(comparison.same_outputs, true);
  ASSERT_EQ(comparison.changes.size(), 3u);
  EXPECT_NEAR(*comparison.changes[0].ratio.estimate, 0.8, 0.01);
  EXPECT_NEAR(*comparison.changes[1].ratio.estimate, 1, 0.01);
  EXPECT_NEAR(*comparison.changes[2].ratio.estimate, 1.25, 0.02);
  const std::string text = FormatComparison(comparison, {});
  EXPECT_NE(text.find("speed-up shrank: 1.20x, before 1.50x"), std::string::npos) << text;
  const json document = json::parse(FormatComparisonJson(comparison));
  EXPECT_EQ(document["schema"], "kwker.compare/1");
  EXPECT_EQ(document["verdict"]["speedup"], "shrank");
  EXPECT_LT(document["changes"]["speedup"]["high"], 1);
}

TEST_F(ComparisonTest, TheSameTwice) {
  const Comparison comparison = Compare(Past(Audit(1.3, 0.001)), Past(Audit(1.3, 0.001)));
  EXPECT_EQ(comparison.speed, Speed::kNoDifference);
  EXPECT_TRUE(comparison.features.empty());
  EXPECT_TRUE(comparison.differing_circumstances.empty());
}

TEST_F(ComparisonTest, WhatIsNotTheSame) {
  const PastReport before = Past(Audit(1.3));
  setup_.versions.torch_package = "2.14.0";
  Report report = Audit(1.3);
  for (RunOutcome& run : report.runs)
    run.result->outputs[1] = testing::MakeOutput("backward[0]", 9);
  report.features[0].fallbacks = {{"amsgrad", 3}};
  report.features[1].state = "failed self-check";
  const Comparison comparison = Compare(before, Past(report));
  EXPECT_EQ(comparison.same_outputs, false);
  EXPECT_EQ(comparison.first_difference, "backward[0]");
  EXPECT_EQ(comparison.differing_circumstances,
            std::vector<std::string>{"torch: 2.14.0, before 2.13.0+cpu"});
  EXPECT_EQ(comparison.features.size(), 2u);
  const std::string text = FormatComparison(comparison, {.width = 44});
  EXPECT_NE(text.find("other outputs, first in backward[0]"), std::string::npos) << text;
}

TEST_F(ComparisonTest, FitsEveryWidth) {
  const Comparison comparison = Compare(Past(Audit(1.5)), Past(Audit(1.2)));
  for (const int width : {44, 60, 80, 120}) {
    std::string text = FormatComparison(comparison, {.width = width});
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.erase(0, end + 1)) {
      EXPECT_LE(Columns(text.substr(0, end)), static_cast<std::size_t>(width));
    }
  }
}

TEST_F(ComparisonTest, WhatIsNoReport) {
  EXPECT_EQ(ParseReport("{").error, "is not JSON (near byte 2)");
  EXPECT_EQ(ParseReport("[]").error, "is no report of kwker audit --json");
  EXPECT_EQ(ParseReport("{\"schema\": \"x/2\"}").error,
            "is of the schema x/2, this kwker reads kwker.audit/1");
  EXPECT_EQ(ParseReport("{\"schema\": \"kwker.audit/1\"}").error,
            "is no whole report: \"script\" is missing");
}

// Whatever member is lost or of another type: one line, no crash.
TEST_F(ComparisonTest, DamagedReports) {
  const json whole = json::parse(FormatJson(Audit(1.3)));
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    for (const json& other : {json(nullptr), json("x"), json(-1), json(1e300), json::array()}) {
      json damaged = whole;
      damaged[json::json_pointer(pointer)] = other;
      const Parsed<PastReport> past = ParseReport(damaged.dump());
      EXPECT_NE(past.value.has_value(), !past.error.empty());
      EXPECT_EQ(past.error.find('\n'), std::string::npos);
      if (past) FormatComparison(Compare(*past.value, *past.value), {});
    }
  }
}

}  // namespace
}  // namespace kwker::audit

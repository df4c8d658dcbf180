#include "audit/svg.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kwker::audit {
namespace {

std::size_t Count(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string Plain(double value) { return std::to_string(static_cast<int>(value)); }

TEST(EscapeXml, FiveSigns) {
  EXPECT_EQ(EscapeXml("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
}

TEST(Ticks, AreRound) {
  EXPECT_EQ(Ticks(0, 8.2, 4), (std::vector<double>{0, 5}));
  EXPECT_EQ(Ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Ticks(3, 3, 2).size() >= 2, true);
  EXPECT_GE(Ticks(0, 1e-9, 4).size(), 2u);
  EXPECT_LE(Ticks(0, 1e12, 4).size(), 6u);
}

TEST(PairPlot, TwoDotsAPair) {
  const std::string svg = PairPlot("times <s>", {{1, 8, 6}, {2, 8.2, 6.1}}, {}, Plain);
  EXPECT_EQ(Count(svg, "<circle class=\"a\""), 2u);
  EXPECT_EQ(Count(svg, "<circle class=\"b\""), 2u);
  EXPECT_EQ(Count(svg, "class=\"join\""), 2u);
  EXPECT_NE(svg.find("<title>times &lt;s&gt;</title>"), std::string::npos);
  EXPECT_NE(svg.find("pair 2, without: 8"), std::string::npos);
  EXPECT_EQ(PairPlot("", {}, {}, Plain), "");
  EXPECT_NE(PairPlot("zeros", {{1, 0, 0}}, {}, Plain), "");
}

TEST(RatioPlot, IntervalsAndOne) {
  RatioEstimate ratio;
  ratio.estimate = 1.3;
  ratio.interval = Interval{1.2, 1.4};
  RatioEstimate alone;
  alone.estimate = 1.1;
  const std::string svg = RatioPlot("r", {{"wall", ratio}, {"cpu", alone}, {"none", {}}});
  EXPECT_EQ(Count(svg, "<circle"), 2u);
  EXPECT_EQ(Count(svg, "class=\"interval\""), 3u);  // a line and its two ends
  EXPECT_EQ(Count(svg, "class=\"axis\""), 1u);      // at 1x
  EXPECT_EQ(svg.find("none"), std::string::npos);
  EXPECT_EQ(RatioPlot("r", {{"none", {}}}), "");
}

TEST(PairRatioPlot, LeavesOutWhatIsNoRatio) {
  const std::string svg = PairRatioPlot("r", {{1, 2, 1}, {2, 0, 1}, {3, 1, 0}}, {});
  EXPECT_EQ(Count(svg, "<circle"), 1u);
  EXPECT_EQ(PairRatioPlot("r", {{1, 0, 0}}, {}), "");
}

TEST(SharePlot, TwoBarsARow) {
  const std::string svg =
      SharePlot("s", {{"optim.adamw", 240, 0}, {"a name that is much too long for it", 0, 3}});
  EXPECT_EQ(Count(svg, "<rect"), 4u);
  EXPECT_NE(svg.find("…"), std::string::npos);
  EXPECT_EQ(SharePlot("s", {{"x", 0, 0}}), "");
}

}  // namespace
}  // namespace kwker::audit

#include "audit/report_html.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "audit/testing.h"
#include "audit/testing_situations.h"

namespace kwker::audit {
namespace {

using testing::Situation;
using testing::Situations;

// What is not well-formed in it; empty: nothing. Knows as much of XML as the page
// has: elements, attributes in double quotes, five entities.
std::string Malformed(std::string_view html) {
  std::vector<std::string> open;
  const auto at = [&html](std::size_t i) { return std::string(html.substr(i, 60)); };
  for (std::size_t i = html.find("<html"); i < html.size();) {
    if (html[i] == '&') {
      bool known = false;
      for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
        known = known || html.substr(i).starts_with(entity);
      }
      if (!known) return "entity: " + at(i);
    }
    if (html[i] != '<') {
      if (static_cast<unsigned char>(html[i]) < 0x20 && html[i] != '\n') return "control: " + at(i);
      ++i;
      continue;
    }
    const std::size_t end = html.find('>', i);
    if (end == html.npos) return "no end: " + at(i);
    const std::string_view tag = html.substr(i + 1, end - i - 1);
    if (tag.find('<') != tag.npos) return "two tags: " + at(i);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "not open: " + at(i);
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.emplace_back(tag.substr(0, tag.find_first_of(" \n")));
    }
    i = end + 1;
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

class Pages : public ::testing::TestWithParam<Situation> {};

TEST_P(Pages, AreWellFormedAndNeedNothingElse) {
  const std::string html = FormatHtml(GetParam().make());
  EXPECT_EQ(Malformed(html), "");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n"));
  for (const char* part :
       {"<script", "<link", "src=", "href=", "url(", "@import", "nan", "inf\""}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
}

INSTANTIATE_TEST_SUITE_P(Situations, Pages, ::testing::ValuesIn(Situations()),
                         [](const auto& situation) { return std::string(situation.param.name); });

TEST(FormatHtml, HasEverything) {
  const std::string html = FormatHtml(Situations()[0].make());
  for (const char* part : {"1.39x faster", "outputs equal to the bit", "train.py --epochs 1",
                           "Wall time of the script", "optim.adamw", "amsgrad 2, sparse gradient 1",
                           "<b class=\"good\">holds</b>", "<code>--min-speedup 1.2</code>",
                           "Every run", "trimmed t", "Imaginary CPU"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

TEST(FormatHtml, WhatOthersWroteIsText) {
  audit::Setup setup = testing::MakeSetup(2);
  setup.command = {"<script>alert(1)</script>.py", "\"'&amp;\x01\xff"};
  std::vector<RunOutcome> runs = testing::MakeRuns(setup, 1.2);
  for (RunOutcome& run : runs) {
    run.result->warnings = {"<b>\x1b[31mred\x1b[0m</b>"};
    run.result->features[0].name = "<i>";
    run.result->features[0].fallbacks = {{"a < b & c", 1}};
  }
  const std::string html = FormatHtml(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_EQ(Malformed(html), "");
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;b&gt;red&lt;/b&gt;"), std::string::npos);
  EXPECT_NE(html.find("a &lt; b &amp; c 1"), std::string::npos);
}

TEST(FormatHtml, ManyPairs) {
  const audit::Setup setup = testing::MakeSetup(300);
  const std::string html =
      FormatHtml(MakeReport(setup, testing::MakeRuns(setup, 30, 0.3), Ending::kCompleted));
  EXPECT_EQ(Malformed(html), "");
}

}  // namespace
}  // namespace kwker::audit

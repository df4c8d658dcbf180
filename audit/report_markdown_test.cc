// Held against golden/*.md, which are written anew as those of report_text_test.cc.
#include "audit/report_markdown.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "audit/testing.h"
#include "audit/testing_situations.h"

namespace kwker::audit {
namespace {

using testing::Situation;
using testing::Situations;

class Golden : public ::testing::TestWithParam<Situation> {};

TEST_P(Golden, Page) {
  const std::string text = FormatMarkdown(GetParam().make());
  const std::string page = std::string("audit/golden/") + GetParam().name + ".md";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::ofstream(std::filesystem::path(workspace == nullptr ? "." : workspace) / page) << text;
    GTEST_SKIP() << "wrote " << page;
  }
  std::ifstream file(page);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

INSTANTIATE_TEST_SUITE_P(Some, Golden, ::testing::ValuesIn([] {
                           std::vector<Situation> some;
                           for (const Situation& situation : Situations()) {
                             const std::string name = situation.name;
                             if (name == "faster" || name == "different" ||
                                 name == "different_and_why" || name == "script_failed" ||
                                 name == "zero_pairs") {
                               some.push_back(situation);
                             }
                           }
                           return some;
                         }()),
                         [](const auto& situation) { return std::string(situation.param.name); });

TEST(FormatMarkdown, WhatOthersWroteIsText) {
  audit::Setup setup = testing::MakeSetup(2);
  setup.command = {"a`b``c.py", "<img src=x>"};
  std::vector<RunOutcome> runs = testing::MakeRuns(setup, 1.2);
  for (RunOutcome& run : runs) {
    run.result->warnings = {"ask @ada | see [here](http://x) <script> *now* a_b"};
  }
  const std::string page = FormatMarkdown(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_NE(page.find("``` a`b``c.py '<img src=x>' ```"), std::string::npos) << page;
  EXPECT_NE(page.find("ask &#64;ada \\| see \\[here\\](http://x) &lt;script\\> \\*now\\* a\\_b"),
            std::string::npos)
      << page;
}

}  // namespace
}  // namespace kwker::audit

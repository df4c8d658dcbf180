// The text reports of audits of every kind, held against the pages in golden/.
// To write those anew after a wanted change, and then look at what changed:
//   UPDATE_GOLDEN=1 bazel run //audit:report_text_test
#include "audit/report_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "audit/testing_situations.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

using testing::Situation;
using testing::Situations;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Golden : public ::testing::TestWithParam<Situation> {};

TEST_P(Golden, Page) {
  const std::string text = FormatText(GetParam().make(), {});
  const std::string page = std::string("audit/golden/") + GetParam().name + ".txt";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::ofstream(std::filesystem::path(workspace == nullptr ? "." : workspace) / page) << text;
    GTEST_SKIP() << "wrote " << page;
  }
  EXPECT_EQ(text, Read(page));
}

TEST_P(Golden, FitsEveryWidth) {
  for (const int width : {44, 60, 80, 100, 120}) {
    std::string text = FormatText(GetParam().make(), {.width = width});
    for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      const std::string line = text.substr(0, end);
      if (line.find("Traceback") != std::string::npos ||
          line.find("File \"") != std::string::npos) {
        continue;  // what the script printed is not folded
      }
      EXPECT_LE(Columns(line), static_cast<std::size_t>(width)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    EXPECT_TRUE(text.empty());
  }
}

TEST_P(Golden, NoEscapesUnlessAsked) {
  EXPECT_EQ(FormatText(GetParam().make(), {}).find('\x1b'), std::string::npos);
  std::string coloured = FormatText(GetParam().make(), {.width = 80, .colour = true});
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  // Without its escapes the coloured page is the plain one.
  for (std::size_t start; (start = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(start, coloured.find('m', start) + 1 - start);
  }
  EXPECT_EQ(coloured, FormatText(GetParam().make(), {}));
}

TEST_P(Golden, Ascii) {
  for (const char c : FormatText(GetParam().make(), {.unicode = false})) {
    EXPECT_GE(c, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Situations, Golden, ::testing::ValuesIn(Situations()),
                         [](const auto& situation) { return std::string(situation.param.name); });

}  // namespace
}  // namespace kwker::audit

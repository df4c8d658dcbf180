#include "cli/script_command.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

std::string ErrorOf(const std::vector<std::string>& words) {
  try {
    ParseScriptCommand(words, "USAGE");
    return "";
  } catch (const UsageError& e) {
    return e.what();
  }
}

TEST(SplitAtDashesTest, SplitsAtTheFirst) {
  const auto [own, script] = SplitAtDashes({"audit", "-n", "2", "--", "x.py", "--", "y"});
  EXPECT_EQ(own, (std::vector<std::string>{"audit", "-n", "2"}));
  EXPECT_EQ(script, (std::vector<std::string>{"x.py", "--", "y"}));
}

TEST(SplitAtDashesTest, NothingAfterThem) {
  EXPECT_TRUE(SplitAtDashes({"audit", "--"}).second.empty());
  EXPECT_TRUE(SplitAtDashes({"audit"}).second.empty());
  EXPECT_TRUE(SplitAtDashes({}).first.empty());
}

TEST(ParseScriptCommandTest, TakesScriptModuleAndCode) {
  const std::string file = testing::TempDir() + "/script.py";
  std::ofstream(file) << "pass\n";
  const ScriptCommand script = ParseScriptCommand({file, "-m", "--x"}, "USAGE");
  EXPECT_EQ(script.words, (std::vector<std::string>{file, "-m", "--x"}));
  EXPECT_EQ(script.path.front(), '/');
  EXPECT_EQ(ParseScriptCommand({"-m", "a.b", "-c"}, "USAGE").path, "");
  EXPECT_EQ(ParseScriptCommand({"-c", "print(1)"}, "USAGE").words.size(), 2u);
}

TEST(ParseScriptCommandTest, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf({}), "no script: USAGE");
  EXPECT_EQ(ErrorOf({"/no/such.py"}), "no such script: /no/such.py");
  EXPECT_EQ(ErrorOf({"-m"}), "-m needs a module after it");
  EXPECT_EQ(ErrorOf({"-c"}), "-c needs Python code after it");
  EXPECT_NE(ErrorOf({"-u", "x.py"}).find("'-u' where the script should be"), std::string::npos);
  EXPECT_NE(ErrorOf({"-"}), "");
  EXPECT_NE(ErrorOf({""}), "");
}

}  // namespace
}  // namespace kwker::cli

#include "cli/launcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

using Words = std::vector<std::string>;

// What torchrun is given for these options and this script; the error instead.
Words Launched(Words options, const Words& script) {
  CLI::App app;
  const Launcher launcher(app);
  try {
    std::reverse(options.begin(), options.end());  // as CLI11 wants a vector
    app.parse(options);
    if (!launcher.Chosen()) return {"not chosen"};
    Words words = launcher.Words({.words = script, .path = ""});
    words.erase(words.begin(), words.begin() + 2);  // -c CODE
    return words;
  } catch (const CLI::ParseError& e) {
    return {e.what()};
  } catch (const UsageError& e) {
    return {e.what()};
  }
}

const Words kChosen = {"--launcher", "torchrun"};

Words With(const Words& options) {
  Words words = kChosen;
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

std::string ErrorFor(const Words& options) { return Launched(options, {"x.py"}).front(); }

TEST(LauncherTest, OneMachineStandsAlone) {
  EXPECT_EQ(Launched(kChosen, {"x.py"}), (Words{"--standalone", "--", "x.py"}));
  EXPECT_EQ(Launched(With({"--nproc-per-node", "2"}), {"x.py", "--", "-m"}),
            (Words{"--standalone", "--nproc-per-node=2", "--", "x.py", "--", "-m"}));
}

TEST(LauncherTest, SeveralMachinesDoNot) {
  EXPECT_EQ(Launched(With({"--nnodes", "2:4", "--rdzv-backend=c10d", "--rdzv-endpoint", "a:1"}),
                     {"x.py"}),
            (Words{"--nnodes=2:4", "--rdzv-backend=c10d", "--rdzv-endpoint=a:1", "--", "x.py"}));
  EXPECT_EQ(
      Launched(With({"--node-rank", "0", "--master-addr", "::1", "--master-port", "80"}), {"x.py"}),
      (Words{"--node-rank=0", "--master-addr=::1", "--master-port=80", "--", "x.py"}));
}

TEST(LauncherTest, TorchrunsOwnVariablesNameMachinesToo) {
  setenv("PET_NODE_RANK", "1", 1);
  EXPECT_EQ(Launched(kChosen, {"x.py"}), (Words{"--", "x.py"}));
  unsetenv("PET_NODE_RANK");
}

TEST(LauncherTest, TakesModulesButNoCode) {
  EXPECT_EQ(Launched(kChosen, {"-m", "a.b", "-c"}),
            (Words{"--standalone", "-m", "--", "a.b", "-c"}));
  EXPECT_NE(Launched(kChosen, {"-c", "pass"}).front().find("takes no -c"), std::string::npos);
}

TEST(LauncherTest, SaysWhatIsWrong) {
  EXPECT_NE(ErrorFor({"--launcher", "mpirun"}).find("no launcher 'mpirun'"), std::string::npos);
  EXPECT_EQ(ErrorFor({}), "not chosen");
  EXPECT_EQ(ErrorFor({"--nproc-per-node", "2"}), "--nproc-per-node needs --launcher torchrun");
  EXPECT_EQ(ErrorFor({"--rdzv-id", "x"}), "--rdzv-id needs --launcher torchrun");
  for (const char* count : {"0", "-1", "two", "1.5", "99999999999999999999"}) {
    EXPECT_NE(ErrorFor(With({std::string("--nproc-per-node=") + count})).find("whole number"),
              std::string::npos)
        << count;
  }
  for (const char* count : {"0", "x", "2:", ":2", "4:2", "1:2:3"}) {
    EXPECT_NE(ErrorFor(With({std::string("--nnodes=") + count})).find("number of machines"),
              std::string::npos)
        << count;
  }
  EXPECT_NE(ErrorFor(With({"--master-port", "65536"})).find("--master-port"), std::string::npos);
  EXPECT_NE(ErrorFor(With({"--node-rank", "x"})).find("--node-rank"), std::string::npos);
}

}  // namespace
}  // namespace kwker::cli

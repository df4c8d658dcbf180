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

TEST(LauncherTest, CountsProcessesAsTorchrunDoes) {
  for (const char* count : {"auto", "cpu", "3"}) {
    EXPECT_EQ(Launched(With({"--nproc-per-node", count}), {"x.py"}),
              (Words{"--standalone", std::string("--nproc-per-node=") + count, "--", "x.py"}));
  }
  for (const char* count : {"gpu", "xpu"}) {
    EXPECT_NE(ErrorFor(With({"--nproc-per-node", count})).find("Kwker is for CPUs"),
              std::string::npos)
        << count;
  }
}

TEST(LauncherTest, TakesUnderscoresToo) {
  EXPECT_EQ(Launched(With({"--nproc_per_node=2", "--nnodes=2", "--node_rank", "1",
                           "--master_addr=a", "--master_port", "80"}),
                     {"x.py"}),
            (Words{"--nproc-per-node=2", "--nnodes=2", "--node-rank=1", "--master-addr=a",
                   "--master-port=80", "--", "x.py"}));
  EXPECT_EQ(
      Launched(With({"--rdzv_backend=etcd-v2", "--rdzv_endpoint=a:1", "--rdzv_id", "j"}), {"x.py"}),
      (Words{"--rdzv-backend=etcd-v2", "--rdzv-endpoint=a:1", "--rdzv-id=j", "--", "x.py"}));
  EXPECT_EQ(ErrorFor({"--node_rank", "1"}), "--node-rank needs --launcher torchrun");
}

TEST(LauncherTest, ARankIsOneOfTheMachines) {
  const Words two = With({"--nnodes=2", "--master-addr=a", "--node-rank"});
  const auto error = [&](const char* rank) {
    Words options = two;
    options.emplace_back(rank);
    return ErrorFor(options);
  };
  EXPECT_EQ(error("1"), "--nnodes=2");  // launched
  EXPECT_EQ(error("2"), "--node-rank 2 is none of --nnodes 2: they count from 0");
  setenv("PET_NNODES", "3", 1);
  EXPECT_EQ(ErrorFor(With({"--node-rank=3"})),
            "--node-rank 3 is none of --nnodes 3: they count from 0");
  unsetenv("PET_NNODES");
}

TEST(LauncherTest, SaysHowMachinesWouldFindEachOther) {
  const auto error = [](const Words& options) { return ErrorFor(With(options)); };
  EXPECT_EQ(error({"--nnodes=2"}),
            "--nnodes 2 needs --node-rank and --master-addr, or --rdzv-endpoint");
  EXPECT_EQ(error({"--nnodes=2", "--node-rank=0"}),
            "--nnodes 2 needs --master-addr, or --rdzv-endpoint");
  EXPECT_EQ(error({"--nnodes=2", "--master-addr=a"}),
            "--nnodes 2 needs --node-rank, or --rdzv-endpoint");
  EXPECT_EQ(error({"--nnodes=2:3", "--rdzv-backend=c10d", "--node-rank=0", "--master-addr=a"}),
            "--nnodes 2:3 with --rdzv-backend c10d needs --rdzv-endpoint");
  EXPECT_EQ(error({"--nnodes=1:2"}).find("--nnodes 1:2 needs"), 0U);
  for (const char* fine : {"1", "1:1"}) {
    EXPECT_EQ(error({"--nnodes", fine}), std::string("--nnodes=") + fine);
  }
  EXPECT_EQ(error({"--nnodes=1:2", "--rdzv-backend=c10d"}), "--nnodes=1:2");
  EXPECT_EQ(error({"--nnodes=2", "--rdzv-endpoint=a:1"}), "--nnodes=2");
  EXPECT_NE(error({"--rdzv-backend=zeus"}).find("'zeus' is no backend of torchrun's"),
            std::string::npos);
}

TEST(LauncherTest, TorchrunsOwnVariablesSayItToo) {
  const Words two = With({"--nnodes=2"});
  setenv("PET_NODE_RANK", "0", 1);
  setenv("PET_MASTER_ADDR", "a", 1);
  EXPECT_EQ(ErrorFor(two), "--nnodes=2");
  unsetenv("PET_NODE_RANK");
  EXPECT_EQ(ErrorFor(two), "--nnodes 2 needs --node-rank, or --rdzv-endpoint");
  unsetenv("PET_MASTER_ADDR");
  setenv("PET_RDZV_ENDPOINT", "a:1", 1);
  EXPECT_EQ(ErrorFor(two), "--nnodes=2");
  unsetenv("PET_RDZV_ENDPOINT");
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

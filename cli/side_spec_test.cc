#include "cli/side_spec.h"

#include <gtest/gtest.h>

#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

using Words = std::vector<std::string>;

TEST(ParseSideSpec, Kwker) {
  EXPECT_EQ(ParseSideSpec("kwker=off", "--a").install, false);
  EXPECT_EQ(ParseSideSpec("kwker=on", "--a").install, true);
  EXPECT_FALSE(ParseSideSpec("kwker=on", "--a").features);
  EXPECT_EQ(ParseSideSpec("kwker=optim.adamw+vision", "--a").features,
            (Words{"optim.adamw", "vision"}));
  EXPECT_FALSE(ParseSideSpec("threads:2", "--a").install);
}

TEST(ParseSideSpec, SeveralParts) {
  const SideSpec spec = ParseSideSpec(
      "kwker=on,env:A=1,env:B=x=y,python:/usr/bin/python3,threads:2,args:--fused", "--b");
  EXPECT_EQ(spec.environment,
            (std::map<std::string, std::string>{
                {"A", "1"}, {"B", "x=y"}, {"MKL_NUM_THREADS", "2"}, {"OMP_NUM_THREADS", "2"}}));
  EXPECT_EQ(spec.python, "/usr/bin/python3");
  EXPECT_EQ(spec.args, Words{"--fused"});
}

TEST(ParseSideSpec, Quotes) {
  EXPECT_EQ(ParseSideSpec(R"(args:"--x 1,2 --name 'a b' ''")", "--a").args,
            (Words{"--x", "1,2", "--name", "a b", ""}));
  EXPECT_EQ(ParseSideSpec(R"(args:"--say \"a b\"")", "--a").args, (Words{"--say", "a b"}));
  EXPECT_EQ(ParseSideSpec(R"(env:A="1,2",env:B=)", "--a").environment,
            (std::map<std::string, std::string>{{"A", "1,2"}, {"B", ""}}));
}

TEST(ParseSideSpec, WhatIsWrong) {
  for (const char* text : {"", "kwker", "kwker=", "kwker=a++b", "kwker=on,kwker=off", "env:A",
                           "env:=1", "env:KWKER_INSTALL=1", "python:", "threads:0", "threads:x",
                           "args:\"x", "args:'x", "x:1", "kwker=on,"}) {
    try {
      ParseSideSpec(text, "--b");
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find(std::string("--b '") + text + "'"), 0u);
    }
  }
}

}  // namespace
}  // namespace kwker::cli

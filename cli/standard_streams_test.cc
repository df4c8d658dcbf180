#include "cli/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace kwker::cli {
namespace {

TEST(OpenClosedStreams, OnlyThose) {
  EXPECT_TRUE(OpenClosedStreams().empty());
  const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  const std::vector<int> opened = OpenClosedStreams();
  const bool writes = write(STDOUT_FILENO, "x", 1) == 1;
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  EXPECT_EQ(opened, (std::vector<int>{STDIN_FILENO, STDOUT_FILENO}));
  EXPECT_TRUE(writes);
}

}  // namespace
}  // namespace kwker::cli

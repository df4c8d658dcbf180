#include "audit/child_run_orphans.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace kwker::audit {
namespace {

// Starts a child that starts another, each in a session of its own, and ends.
// Returns the grandchild.
pid_t LeaveOneBehind() {
  std::array<int, 2> ends;
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      setsid();
      signal(SIGTERM, SIG_IGN);
      while (true) pause();
    }
    _exit(write(ends[1], &grandchild, sizeof(grandchild)) == sizeof(grandchild) ? 0 : 1);
  }
  pid_t grandchild = 0;
  EXPECT_EQ(read(ends[0], &grandchild, sizeof(grandchild)), ssize_t{sizeof(grandchild)});
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  return grandchild;
}

TEST(Orphans, AreEnded) {
  Orphans orphans;
  const pid_t one = LeaveOneBehind(), two = LeaveOneBehind();
  EXPECT_EQ(kill(one, 0), 0);
  orphans.End();
  EXPECT_NE(kill(one, 0), 0);
  EXPECT_NE(kill(two, 0), 0);
  orphans.End();  // nothing is left to do
}

TEST(Orphans, OthersAreSpared) {
  const pid_t before = fork();
  if (before == 0) {
    while (true) pause();
  }
  {
    Orphans orphans;
    orphans.End();
  }
  EXPECT_EQ(waitpid(before, nullptr, WNOHANG), 0);
  kill(before, SIGKILL);
  EXPECT_EQ(waitpid(before, nullptr, 0), before);
}

}  // namespace
}  // namespace kwker::audit

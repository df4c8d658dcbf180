#include "audit/machine.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

TEST(DescribeMachine, ThisOne) {
  const Machine machine = DescribeMachine();
  EXPECT_GE(machine.logical_cpus, 1);
  EXPECT_GT(machine.memory_bytes, 1 << 20);
  EXPECT_TRUE(machine.system.starts_with("Linux "));
  EXPECT_GE(machine.load_1min, 0);
}

}  // namespace
}  // namespace kwker::audit

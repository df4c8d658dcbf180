// The machine an audit ran on, for the report.
#pragma once

#include <cstdint>
#include <string>

namespace kwker::audit {

struct Machine {
  std::string cpu;                // "Intel(R) Xeon(R) ..."; empty if unknown
  int logical_cpus = 0;           // that this process may use
  std::int64_t memory_bytes = 0;  // physical
  std::string system;             // "Linux 6.1.0 x86_64"
  double load_1min = 0;           // load average at the time of the call
};

// Asks the kernel (/proc/cpuinfo, sched_getaffinity, sysinfo, uname). What
// cannot be found out stays empty or 0.
Machine DescribeMachine();

}  // namespace kwker::audit

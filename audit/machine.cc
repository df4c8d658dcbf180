#include "audit/machine.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace kwker::audit {
namespace {

// The value of the first "model name : ..." line.
std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

int UsableCpus() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0) return CPU_COUNT(&cpus);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));  // more CPUs than a cpu_set_t holds
}

}  // namespace

Machine DescribeMachine() {
  Machine machine;
  machine.cpu = CpuName();
  machine.logical_cpus = UsableCpus();
  machine.memory_bytes =
      static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  utsname names{};
  if (uname(&names) == 0) {
    machine.system = fmt::format("{} {} {}", names.sysname, names.release, names.machine);
  }
  double load = 0;
  if (getloadavg(&load, 1) == 1) machine.load_1min = load;
  return machine;
}

}  // namespace kwker::audit

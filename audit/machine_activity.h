// What else the machine does while a run takes place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kwker::audit {

// Counters of the whole machine since its start; in a container, of its host.
struct MachineActivity {
  double busy_s = 0;    // CPU time of all programs and of the kernel
  double stolen_s = 0;  // that the host of a virtual machine kept from it
  int cpus = 0;
  std::int64_t swapped_pages = 0;  // in and out
  std::int64_t throttled = 0;      // times that a processor was slowed down for heat
};

// /proc/stat, /proc/vmstat and what processors say under /sys; absent: there is no
// /proc/stat.
std::optional<MachineActivity> ReadMachineActivity();

// The same of the files' text; `ticks` of the kernel's clock are a second, and a
// swapped page counts as one page.
std::optional<MachineActivity> ParseMachineActivity(std::string_view stat, std::string_view vmstat,
                                                    double ticks);

}  // namespace kwker::audit

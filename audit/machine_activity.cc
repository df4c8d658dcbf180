#include "audit/machine_activity.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace kwker::audit {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of each core once: what cores share is counted by "package" files as well.
std::int64_t CountThrottles() {
  std::int64_t sum = 0;
  std::error_code error;
  for (const auto& cpu : std::filesystem::directory_iterator("/sys/devices/system/cpu", error)) {
    std::int64_t count = 0;
    std::ifstream file(cpu.path() / "thermal_throttle/core_throttle_count");
    if (file >> count) sum += count;
  }
  return sum;
}

}  // namespace

std::optional<MachineActivity> ParseMachineActivity(std::string_view stat, std::string_view vmstat,
                                                    double ticks) {
  MachineActivity activity;
  bool any = false;
  std::istringstream lines{std::string(stat)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name.starts_with("cpu") && name != "cpu") ++activity.cpus;
    if (name != "cpu") continue;
    // Guests' time is in user and nice already.
    double user = 0, nice = 0, system = 0, idle = 0, io = 0, irq = 0, softirq = 0, stolen = 0;
    any = static_cast<bool>(words >> user >> nice >> system >> idle >> io >> irq >> softirq);
    words >> stolen;
    activity.busy_s = (user + nice + system + irq + softirq) / ticks;
    activity.stolen_s = stolen / ticks;
  }
  if (!any || activity.cpus == 0) return std::nullopt;
  std::istringstream counters{std::string(vmstat)};
  std::string name;
  for (std::int64_t count = 0; counters >> name >> count;) {
    if (name == "pswpin" || name == "pswpout") activity.swapped_pages += count;
  }
  return activity;
}

std::optional<MachineActivity> ReadMachineActivity() {
  auto activity = ParseMachineActivity(Read("/proc/stat"), Read("/proc/vmstat"),
                                       static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (activity) activity->throttled = CountThrottles();
  return activity;
}

}  // namespace kwker::audit

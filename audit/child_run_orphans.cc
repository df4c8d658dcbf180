#include "audit/child_run_orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

constexpr std::chrono::seconds kLongest{5};

// From /proc/PID/stat: "PID (NAME) STATE PARENT ...", NAME being anything. 0: it
// is gone.
pid_t ParentOf(const fs::path& process) {
  std::ifstream file(process / "stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto name_end = text.rfind(") ");
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return 0;
  pid_t parent = 0;
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return parent;
}

// Also those that have ended and wait to be reaped.
std::set<pid_t> Children() {
  std::set<pid_t> children;
  std::error_code error;
  for (auto entry = fs::directory_iterator("/proc", error); entry != fs::directory_iterator();
       entry.increment(error)) {
    if (error) break;
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [stop, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong != std::errc() || stop != name.data() + name.size()) continue;
    if (ParentOf(entry->path()) == getpid()) children.insert(pid);
  }
  return children;
}

}  // namespace

Orphans::Orphans() {
  prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // A shell that becomes this program (exec) may have had some.
  not_ours_ = Children();
}

Orphans::~Orphans() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_); }

void Orphans::End() {
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  // As each one ends, its own children come here.
  while (true) {
    bool any = false;
    for (const pid_t child : Children()) {
      if (not_ours_.contains(child)) continue;
      any = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, WNOHANG);
    }
    if (!any || std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace kwker::audit

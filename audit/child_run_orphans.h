// What a run's processes leave behind when they end.
#pragma once

#include <sys/types.h>

#include <set>

namespace kwker::audit {

// While it lives, processes whose parent ends become this process's children
// (PR_SET_CHILD_SUBREAPER), also those that left the parent's process group.
class Orphans {
 public:
  Orphans();
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  // Kills and reaps all children of this process, and theirs, but for those that
  // it had when this was made. Waits for them a few seconds at most.
  void End();

 private:
  int was_subreaper_ = 0;
  std::set<pid_t> not_ours_;
};

}  // namespace kwker::audit

// Signals and the end of a child process, waited for in one place.
#pragma once

#include <signal.h>

#include <chrono>

namespace kwker::audit {

// While it lives, Ctrl-C (SIGINT), SIGTERM, SIGHUP, SIGQUIT and the end of a child
// do not interrupt this process but are handed out by Wait(). One at a time, in
// the thread that made it. Signals that were ignored before stay ignored, and so
// is SIGPIPE.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // The next signal: SIGCHLD or one that asks to stop; 0: none came in time.
  int Wait(std::chrono::milliseconds limit);

  // For a new child process, between fork and exec: the signals as they were.
  void RestoreInChild() const;

 private:
  sigset_t watched_;
  sigset_t old_mask_;
  struct sigaction old_child_, old_pipe_;
};

}  // namespace kwker::audit

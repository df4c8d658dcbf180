#include "audit/child_run_signals.h"

#include <cerrno>

namespace kwker::audit {

SignalWatch::SignalWatch() {
  // Where SIGCHLD is ignored, the exit statuses of children are lost.
  struct sigaction defaults = {};
  defaults.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &defaults, &old_child_);
  // Writing to a pipe whose reader has gone is an error like others.
  struct sigaction ignored = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &old_pipe_);

  sigemptyset(&watched_);
  sigaddset(&watched_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction now;
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) sigaddset(&watched_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &watched_, &old_mask_);
}

SignalWatch::~SignalWatch() {
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
}

int SignalWatch::Wait(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() < 0) left = left.zero();
    const timespec timeout = {static_cast<time_t>(left.count() / 1'000'000'000),
                              static_cast<long>(left.count() % 1'000'000'000)};
    const int signal = sigtimedwait(&watched_, nullptr, &timeout);
    if (signal > 0) return signal;
    if (errno != EINTR) return 0;
  }
}

void SignalWatch::RestoreInChild() const {
  sigaction(SIGCHLD, &old_child_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

}  // namespace kwker::audit

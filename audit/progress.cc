#include "audit/progress.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "audit/terminal.h"
#include "audit/time_left.h"
#include "audit/utf8.h"
#include "audit/verdict.h"
#include "audit/words.h"

namespace kwker::audit {
namespace {

using SteadyClock = std::chrono::steady_clock;

// "pair 2, with Kwker"
std::string What(const RunRequest& request, const SideWords& words) {
  const std::string& side = request.side == Side::kA ? words.runs_a : words.runs_b;
  if (request.warm_up) return fmt::format("warm-up {}", side);
  if (!request.off.empty()) {
    return fmt::format("which feature: {}, {} off", side,
                       Plural(static_cast<std::int64_t>(request.off.size()), "feature"));
  }
  if (request.probe) return fmt::format("a closer look {}", side);
  if (request.pair < 0) return fmt::format("once more {}", side);
  return fmt::format("pair {}, {}", request.pair + 1, side);
}

// Whole seconds, from a minute on in steps of ten: an estimate is no better.
std::string About(double seconds) {
  const double step = seconds < 60 ? 1 : 10;
  const double rounded = std::max(1.0, std::round(seconds / step)) * step;
  return rounded < 120 ? fmt::format("{:.0f} s", rounded) : FormatSeconds(rounded);
}

// Where nobody reads it, or the disk is full, the audit goes on (fmt::print would
// throw).
void Write(std::FILE* stream, const std::string& text) {
  std::fputs(text.c_str(), stream);
  std::fflush(stream);
}

// A line a run, for files and CI logs.
class PlainProgress : public Progress {
 public:
  PlainProgress(std::FILE* stream, const ProgressStyle& style) : stream_(stream), style_(style) {}

  void RunStarts(const RunRequest& request, int index, int total) override {
    request_ = request;
    index_ = index;
    total_ = std::max(total, index + 1);
    // Later runs follow at once on the line of the one before.
    if (index == 0)
      Print(fmt::format("run 1 of {} starts: {}", total_, What(request, style_.words)));
  }

  void RunEnded(const RunOutcome& outcome) override {
    time_left_.RunEnded(request_.side, outcome.usage.wall_s);
    std::string line =
        fmt::format("run {} of {}: {}, {}", index_ + 1, total_, What(request_, style_.words),
                    FormatSeconds(outcome.usage.wall_s));
    if (outcome.end != RunEnd::kOk) line += ", " + DescribeEnd(outcome);
    const int more = total_ - index_ - 1;
    if (more > 0 && outcome.end == RunEnd::kOk) {
      line += fmt::format(" · about {} left",
                          About(*time_left_.Rest(request_.side, outcome.usage.wall_s, more)));
    }
    Print(line);
  }

  void Finish() override {}

 private:
  void Print(const std::string& line) {
    Write(stream_, fmt::format("kwker: {}\n", style_.unicode ? line : Ascii(line)));
  }

  std::FILE* stream_;
  ProgressStyle style_;
  RunRequest request_;
  int index_ = 0;
  int total_ = 0;
  TimeLeft time_left_;
};

// One line of a terminal, rewritten.
class LiveProgress : public Progress {
 public:
  LiveProgress(std::FILE* stream, const ProgressStyle& style) : stream_(stream), style_(style) {
    // The program's signal handlers are to run in its main thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { Rewrite(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~LiveProgress() override {
    Finish();
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void RunStarts(const RunRequest& request, int index, int total) override {
    const std::lock_guard lock(mutex_);
    request_ = request;
    index_ = index;
    total_ = std::max(total, index + 1);
    started_ = SteadyClock::now();
    running_ = true;
    Show();
  }

  void RunEnded(const RunOutcome& outcome) override {
    const std::lock_guard lock(mutex_);
    time_left_.RunEnded(request_.side, outcome.usage.wall_s);
    running_ = false;
  }

  void Finish() override {
    const std::lock_guard lock(mutex_);
    running_ = false;
    if (!shown_) return;
    Write(stream_, "\r\x1b[K");
    shown_ = false;
  }

 private:
  void Rewrite() {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      changed_.wait_for(lock, std::chrono::seconds(1));
      if (running_ && !stop_) Show();
    }
  }

  // With mutex_ held.
  void Show() {
    const double elapsed = std::chrono::duration<double>(SteadyClock::now() - started_).count();
    const std::string place = fmt::format("[{}/{}]", index_ + 1, total_);
    std::string rest = fmt::format(" {} · {:.0f} s", What(request_, style_.words), elapsed);
    if (const auto one = time_left_.OneRun(request_.side)) {
      rest += fmt::format(" of about {}", About(*one));
      rest += fmt::format(" · {} left",
                          About(*time_left_.Rest(request_.side, elapsed, total_ - index_ - 1)));
    }
    if (!style_.unicode) rest = Ascii(rest);
    // The last column stays free: some terminals go to the next line there.
    const auto width = static_cast<std::size_t>(std::max(style_.width, 20)) - 1;
    const std::string line(FirstColumns(place + rest, width));
    const std::size_t head = std::min(place.size(), line.size());
    Write(stream_, fmt::format("\r{}{}\x1b[K",
                               style_.colour ? Paint(line.substr(0, head), Ink::kBold)
                                             : line.substr(0, head),
                               line.substr(head)));
    shown_ = true;
  }

  std::FILE* stream_;
  ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  bool running_ = false;
  bool shown_ = false;
  RunRequest request_;
  int index_ = 0;
  int total_ = 0;
  SteadyClock::time_point started_;
  TimeLeft time_left_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

std::unique_ptr<Progress> MakeProgress(std::FILE* stream, const ProgressStyle& style) {
  if (style.live) return std::make_unique<LiveProgress>(stream, style);
  return std::make_unique<PlainProgress>(stream, style);
}

}  // namespace kwker::audit

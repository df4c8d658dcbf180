#include "audit/progress.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace kwker::audit {
namespace {

// A stream whose text can be looked at.
class Stream {
 public:
  Stream() : stream_(open_memstream(&text_, &size_)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    std::fclose(stream_);
    std::free(text_);
  }
  std::FILE* get() { return stream_; }
  std::string Text() {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

RunRequest Request(Side side, int order, bool warm_up, int pair) {
  return {side, order, warm_up, pair};
}

RunOutcome Ended(double wall_s, RunEnd end = RunEnd::kOk) {
  RunOutcome outcome;
  outcome.usage.wall_s = wall_s;
  outcome.end = end;
  outcome.exit_code = 3;
  return outcome;
}

TEST(PlainProgress, ALineARun) {
  Stream stream;
  const auto progress = MakeProgress(stream.get(), {});
  progress->RunStarts(Request(Side::kA, 0, true, -1), 0, 4);
  progress->RunEnded(Ended(8));
  progress->RunStarts(Request(Side::kB, 1, true, -1), 1, 4);
  progress->RunEnded(Ended(6));
  progress->RunStarts(Request(Side::kA, 2, false, 0), 2, 4);
  progress->RunEnded(Ended(8));
  progress->RunStarts(Request(Side::kB, 3, false, 0), 3, 4);
  progress->RunEnded(Ended(6, RunEnd::kExit));
  progress->RunStarts(Request(Side::kA, 4, false, -1), 4, 4);
  progress->RunEnded(Ended(8));
  progress->Finish();
  EXPECT_EQ(stream.Text(),
            "kwker: run 1 of 4 starts: warm-up without Kwker\n"
            "kwker: run 1 of 4: warm-up without Kwker, 8.00 s · about 24 s left\n"
            "kwker: run 2 of 4: warm-up with Kwker, 6.00 s · about 14 s left\n"
            "kwker: run 3 of 4: pair 1, without Kwker, 8.00 s · about 7 s left\n"
            "kwker: run 4 of 4: pair 1, with Kwker, 6.00 s, exit status 3\n"
            "kwker: run 5 of 5: once more without Kwker, 8.00 s\n");
}

TEST(PlainProgress, Ascii) {
  Stream stream;
  const auto progress =
      MakeProgress(stream.get(), {.live = false, .colour = false, .unicode = false, .width = 80});
  progress->RunStarts(Request(Side::kA, 0, true, -1), 0, 2);
  progress->RunEnded(Ended(8));
  EXPECT_EQ(stream.Text().find("·"), std::string::npos);
}

TEST(LiveProgress, RewritesItsLineAndCleansUp) {
  Stream stream;
  {
    const auto progress =
        MakeProgress(stream.get(), {.live = true, .colour = false, .unicode = true, .width = 80});
    progress->RunStarts(Request(Side::kA, 0, true, -1), 0, 4);
    progress->RunEnded(Ended(8));
    progress->RunStarts(Request(Side::kB, 1, false, 0), 1, 4);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    progress->RunEnded(Ended(6));
  }
  const std::string text = stream.Text();
  EXPECT_TRUE(text.starts_with("\r[1/4] warm-up without Kwker · 0 s\x1b[K")) << text;
  EXPECT_NE(text.find("\r[2/4] pair 1, with Kwker · 0 s of about 8 s · 24 s left\x1b[K"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" · 1 s of about"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(LiveProgress, FitsTheWidth) {
  Stream stream;
  {
    const auto progress =
        MakeProgress(stream.get(), {.live = true, .colour = false, .unicode = true, .width = 20});
    progress->RunStarts(Request(Side::kA, 0, true, -1), 0, 4);
  }
  EXPECT_EQ(stream.Text(), "\r[1/4] warm-up witho\x1b[K\r\x1b[K");
}

TEST(LiveProgress, NothingShownNothingCleaned) {
  Stream stream;
  {
    const auto progress = MakeProgress(stream.get(), {.live = true, .colour = true});
    progress->Finish();
  }
  EXPECT_EQ(stream.Text(), "");
}

TEST(LiveProgress, KeepsTheCallersSignalMask) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Stream stream;
  const auto progress = MakeProgress(stream.get(), {.live = true});
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

TEST(Progress, GoesOnWhereItCannotBeWritten) {
  for (const bool live : {false, true}) {
    std::FILE* full = std::fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    ProgressStyle style;
    style.live = live;
    auto progress = MakeProgress(full, style);
    EXPECT_NO_THROW(progress->RunStarts({}, 0, 1));
    EXPECT_NO_THROW(progress->RunEnded({}));
    EXPECT_NO_THROW(progress->Finish());
    progress.reset();
    std::fclose(full);
  }
}

}  // namespace
}  // namespace kwker::audit

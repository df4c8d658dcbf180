// What a feature has done so far, and the words for what it left to torch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kwker::pyext {

// Why a call went to torch's own code. kNone: it did not.
enum class Reason : std::uint8_t {
  kNone,
  kAliasing,
  kArguments,
  kAutocast,
  kAveraging,
  kCapturable,
  kChannels,
  kComplex,
  kDevice,
  kDifferentiable,
  kDtype,
  kEmpty,
  kFlushDenormal,
  kForeach,
  kForeachAsked,
  kForked,
  kForwardAd,
  kFused,
  kFusedNoFaster,
  kGradMode,
  kGradScaling,
  kHyperparameter,
  kImage,
  kImageMemory,
  kInferenceMode,
  kLayout,
  kMixedDtypes,
  kModule,
  kOptions,
  kPatched,
  kPixels,
  kPlacement,
  kResizeShortcut,
  kRounding,
  kSparse,
  kStep,
  kStorage,
  kSubclass,
  kTensorHyperparameter,
  kTooSmall,
  kTorchMode,
  kTraced,
  kUnchecked,
  kCount,
};

// One line for people, e.g. "foreach=True was asked for".
const char* ReasonText(Reason reason);

// What was done. Any thread may count.
struct Tally {
  std::atomic<std::int64_t> calls = 0;
  std::atomic<std::int64_t> elements = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Reason::kCount)> fallbacks = {};

  void Reset();
};

// One a feature, for the life of the process.
class Counters {
 public:
  explicit Counters(const char* name) : name_(name) {}

  const char* name() const { return name_; }

  // The user's switch.
  std::atomic<bool> enabled = false;

  // Whether it has still to be compared with torch, before its first call is taken.
  std::atomic<bool> unchecked = false;

  // What compares one, and leaves it checked and enabled or not. Called with the
  // interpreter's lock held; may throw Python's errors. Set once.
  static inline void (*check)(const Counters&) = nullptr;

  // Whether calls on this thread may be taken. Counts those that torch.compile or a pending
  // check keeps out, unless the same call is going to ask again.
  bool IsOn(bool counts = true);

  void CountFallback(Reason reason) {
    tally().fallbacks[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void CountCall(std::int64_t elements, std::int64_t duration_ns) {
    tally().calls.fetch_add(1, std::memory_order_relaxed);
    tally().elements.fetch_add(elements, std::memory_order_relaxed);
    tally().nanoseconds.fetch_add(duration_ns, std::memory_order_relaxed);
  }

  // What this thread's calls are counted in.
  Tally& tally();
  const Tally& tally() const { return const_cast<Counters*>(this)->tally(); }

  // A self-check: on this thread alone the feature is on, and its calls are counted
  // apart from the program's. One feature at a time.
  void BeginTrial();
  void EndTrial();

 private:
  bool IsOnTrial() const;
  bool PassesCheck(bool counts);

  const char* const name_;
  Tally tally_;
};

}  // namespace kwker::pyext

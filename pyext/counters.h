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
  kGradMode,
  kGradScaling,
  kHyperparameter,
  kImage,
  kImageMemory,
  kInferenceMode,
  kLayout,
  kMixedDtypes,
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
  kCount,
};

// One line for people, e.g. "foreach=True was asked for".
const char* ReasonText(Reason reason);

// One a feature, for the life of the process. Any thread may count.
struct Counters {
  explicit Counters(const char* feature_name) : name(feature_name) {}

  void CountFallback(Reason reason) {
    fallbacks[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void CountCall(std::int64_t number_of_elements, std::int64_t duration_ns) {
    calls.fetch_add(1, std::memory_order_relaxed);
    elements.fetch_add(number_of_elements, std::memory_order_relaxed);
    nanoseconds.fetch_add(duration_ns, std::memory_order_relaxed);
  }

  const char* const name;
  std::atomic<bool> enabled = false;
  std::atomic<std::int64_t> calls = 0;
  std::atomic<std::int64_t> elements = 0;
  std::atomic<std::int64_t> nanoseconds = 0;
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Reason::kCount)> fallbacks = {};
};

}  // namespace kwker::pyext

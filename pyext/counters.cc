#include "pyext/counters.h"

#include "pyext/dynamo.h"

namespace kwker::pyext {

const char* ReasonText(Reason reason) {
  switch (reason) {
    case Reason::kAliasing:
      return "tensors share memory";
    case Reason::kArguments:
      return "arguments not as torch's own code passes them";
    case Reason::kAutocast:
      return "under autocast";
    case Reason::kAveraging:
      return "an averaging function that is not torch's own";
    case Reason::kCapturable:
      return "capturable=True";
    case Reason::kChannels:
      return "images of other than three channels";
    case Reason::kComplex:
      return "complex parameters";
    case Reason::kDevice:
      return "not on the CPU";
    case Reason::kDifferentiable:
      return "differentiable=True";
    case Reason::kDtype:
      return "dtype other than float32 and float64";
    case Reason::kEmpty:
      return "an image without pixels";
    case Reason::kFlushDenormal:
      return "floating-point mode changed (set_flush_denormal)";
    case Reason::kForeach:
      return "foreach=True with nesterov=True changes the gradients";
    case Reason::kForeachAsked:
      return "foreach=True was asked for, and its results differ";
    case Reason::kForked:
      return "large, in a forked process that installed Kwker itself: its threads may be lost";
    case Reason::kForwardAd:
      return "forward-mode gradients";
    case Reason::kFused:
      return "fused=True was asked for";
    case Reason::kFusedNoFaster:
      return "fused=True was asked for; without it a float32 step by Kwker is as fast or faster";
    case Reason::kGradMode:
      return "gradients are being recorded";
    case Reason::kGradScaling:
      return "gradient scaling inside the optimizer";
    case Reason::kHyperparameter:
      return "a hyperparameter out of its usual range";
    case Reason::kImage:
      return "an image of a class or mode that is not covered";
    case Reason::kImageMemory:
      return "an image that does not lie in one block of memory";
    case Reason::kInferenceMode:
      return "inference mode or inference tensors";
    case Reason::kLayout:
      return "memory layouts differ or have gaps";
    case Reason::kMixedDtypes:
      return "dtypes differ";
    case Reason::kModule:
      return "a module that has its own way with its parameters";
    case Reason::kOptions:
      return "options that are not covered";
    case Reason::kPatched:
      return "torch's function was replaced by somebody else";
    case Reason::kPixels:
      return "pixels of a type that is not covered";
    case Reason::kPlacement:
      return "DTensors that are placed differently, or partial sums";
    case Reason::kRounding:
      return "numbers that torch rounds in two ways, by position";
    case Reason::kResizeShortcut:
      return "nearest neighbour, a crop or a copy";
    case Reason::kSparse:
      return "sparse gradients";
    case Reason::kStep:
      return "step is not a plain float tensor";
    case Reason::kStorage:
      return "a tensor without its memory";
    case Reason::kSubclass:
      return "tensor subclass";
    case Reason::kTensorHyperparameter:
      return "a hyperparameter is not a plain number";
    case Reason::kTooSmall:
      return "too small to gain anything";
    case Reason::kTorchMode:
      return "a torch mode or transform is active";
    case Reason::kTraced:
      return "inside torch.compile, which reads torch's own code";
    case Reason::kUnchecked:
      return "not compared with torch yet: features() says what for";
    case Reason::kNone:
    case Reason::kCount:
      break;
  }
  return "";
}

namespace {

struct Trial {
  const Counters* of = nullptr;
  int depth = 0;
  Tally tally;
};

thread_local Trial trial;

}  // namespace

void Tally::Reset() {
  calls = 0;
  elements = 0;
  nanoseconds = 0;
  for (auto& count : fallbacks) count = 0;
}

bool Counters::IsOnTrial() const { return trial.of == this; }

bool Counters::IsOn(bool counts) {
  if (IsOnTrial()) return true;
  if (!enabled) return false;
  if (IsTraced()) {
    if (counts) CountFallback(Reason::kTraced);
    return false;
  }
  return !unchecked || PassesCheck(counts);
}

bool Counters::PassesCheck(bool counts) {
  check(*this);
  // Another thread may be at it: torch's code takes this call.
  if (counts && enabled && unchecked) CountFallback(Reason::kUnchecked);
  return enabled && !unchecked;
}

Tally& Counters::tally() { return IsOnTrial() ? trial.tally : tally_; }

void Counters::BeginTrial() {
  if (trial.depth++ > 0) return;
  trial.tally.Reset();
  trial.of = this;
}

void Counters::EndTrial() {
  if (--trial.depth == 0) trial.of = nullptr;
}

}  // namespace kwker::pyext

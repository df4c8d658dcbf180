// Where torch's own loops over a tensor leave their vector code.
//
// torch's operators on contiguous tensors cut their elements, in memory order, into
// one range a thread, and run each range in steps of two vectors and the rest of it
// one by one. Values do not depend on that, but signs of zero can: where an operator
// has two ways to make a zero, the vector code and the code for the rest may differ.
// A kernel that has to tell them apart runs the two kinds of elements separately.
//
// Read in torch 2.13 (ATen/Parallel-inl.h, TensorIterator::for_each, cpu/Loops.h)
// and confirmed by comparing lerp_ and maximum, for 1 to 4 threads. Those two have 32
// bytes in a vector at each capability, also with AVX-512: torch's code for that
// instruction set leaves them out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kwker {

struct LoopEnds {
  // For `numel` elements of `size` bytes and torch's number of threads.
  LoopEnds(std::int64_t numel, std::size_t size, int threads) : numel_(numel) {
    constexpr std::int64_t kTorchGrain = 32768;
    const auto divide_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t ranges =
        std::clamp<std::int64_t>(divide_up(numel, kTorchGrain), 1, std::max(threads, 1));
    range_ = std::max<std::int64_t>(divide_up(numel, ranges), 1);
    constexpr std::int64_t kVectorBytes = 32;
    step_ = 2 * kVectorBytes / static_cast<std::int64_t>(size);
  }

  // Calls body(from, to, in_rest) for parts of [begin, end) that are of one kind.
  template <typename Body>
  void ForEachPart(std::int64_t begin, std::int64_t end, const Body& body) const {
    while (begin < end) {
      const std::int64_t range_begin = begin / range_ * range_;
      const std::int64_t range_end = std::min(range_begin + range_, numel_);
      const std::int64_t rest = range_begin + (range_end - range_begin) / step_ * step_;
      const bool in_rest = begin >= rest;
      const std::int64_t stop = std::min(end, in_rest ? range_end : rest);
      body(begin, stop, in_rest);
      begin = stop;
    }
  }

 private:
  std::int64_t numel_, range_, step_;
};

}  // namespace kwker

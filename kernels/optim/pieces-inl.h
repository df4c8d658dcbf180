// What the bodies of steps.h are made of. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/base/sqrt-inl.h"
#include "kernels/optim/gradient.h"

namespace kwker::optim {
namespace {

// A parameter's elements and their gradient as gradient.h makes it.
template <class Vec>
struct Inputs {
  typename Vec::V p, g;
};

template <class Vec>
class Gradient {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  explicit Gradient(const GradientScalars<T>& s)
      : sign_(Vec::Set(s.maximize ? T(-0.0) : T(0.0))),
        weight_decay_(Vec::Set(s.weight_decay)),
        has_weight_decay_(s.has_weight_decay) {}

  // Elements [i, i+n), n <= Vec::kSize. kWhole: n == kSize.
  template <bool kWhole>
  Inputs<Vec> Load(const T* param, const T* grad, std::int64_t i, std::int64_t n) const {
    const V p = Get<Vec, kWhole>(param + i, n);
    V g = Vec::Xor(Get<Vec, kWhole>(grad + i, n), sign_);
    if (has_weight_decay_) g = Vec::Mad(p, weight_decay_, g);
    return {p, g};
  }

 private:
  V sign_, weight_decay_;
  bool has_weight_decay_;
};

// from + (to - from)*weight, rounded as torch's lerp rounds it. For a weight of one the
// coefficient is a zero, of which the sign counts.
template <class Vec>
class Lerp {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  Lerp(T weight, bool in_rest)
      : near_((weight < 0 ? -weight : weight) < T(0.5)),
        weight_(Vec::Set(near_ ? weight : (in_rest ? -(T(1) - weight) : weight - T(1)))) {}

  V operator()(V from, V to) const {
    return Vec::Mad(weight_, Vec::Sub(to, from), near_ ? from : to);
  }

 private:
  bool near_;
  V weight_;
};

// average*decay + (weight*x)*x
template <class Vec>
class SquareAverage {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  SquareAverage(T decay, T weight) : decay_(Vec::Set(decay)), weight_(Vec::Set(weight)) {}

  V operator()(V average, V x) const {
    return Vec::Mad(Vec::Mul(weight_, x), x, Vec::Mul(average, decay_));
  }

 private:
  V decay_, weight_;
};

// Walks [begin, end) with a body that needs square roots in the middle:
//
//   static constexpr int kRoots;
//   Inputs<Vec> Load<kWhole>(i, n)
//   void First<kWhole>(i, n, inputs, V radicands[kRoots])   stores new state
//   void Second<kWhole>(i, n, inputs, const V roots[kRoots])
//
// Load gives the same before and after First.
template <class Vec, SqrtForm kForm, class Body>
void WithRootsOfForm(const Body& body, std::int64_t begin, std::int64_t end,
                     LibrarySqrt<typename Vec::T> library) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  if constexpr (kForm != SqrtForm::kLibrary) {
    ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      const Inputs<Vec> inputs = body.template Load<kWhole>(i, n);
      V roots[Body::kRoots];
      body.template First<kWhole>(i, n, inputs, roots);
      for (V& root : roots) root = SqrtVector<Vec, kForm>(root, library);
      body.template Second<kWhole>(i, n, inputs, roots);
    });
    return;
  }
  // Blocks that stay in the first-level cache between the two halves.
  constexpr std::int64_t kBlock = 2048 / sizeof(T);
  alignas(64) T blocks[Body::kRoots][kBlock];
  for (std::int64_t start = begin; start < end; start += kBlock) {
    const std::int64_t stop = end - start < kBlock ? end : start + kBlock;
    ForVectors<Vec>(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      V roots[Body::kRoots];
      body.template First<kWhole>(i, n, body.template Load<kWhole>(i, n), roots);
      for (int r = 0; r < Body::kRoots; ++r) Put<Vec, kWhole>(blocks[r] + (i - start), roots[r], n);
    });
    for (T* block : blocks) library(stop - start, block, block);
    ForVectors<Vec>(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      V roots[Body::kRoots];
      for (int r = 0; r < Body::kRoots; ++r)
        roots[r] = Get<Vec, kWhole>(blocks[r] + (i - start), n);
      body.template Second<kWhole>(i, n, body.template Load<kWhole>(i, n), roots);
    });
  }
}

template <class Vec, class Body>
void WithRoots(const Body& body, std::int64_t begin, std::int64_t end,
               const SqrtChoice<typename Vec::T>& sqrt) {
  WithSqrtForm<Vec>(sqrt.form, [&]<SqrtForm kForm>() {
    WithRootsOfForm<Vec, kForm>(body, begin, end, sqrt.library);
  });
}

}  // namespace
}  // namespace kwker::optim

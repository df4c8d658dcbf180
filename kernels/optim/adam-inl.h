// The body of adam.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/divide-inl.h"
#include "kernels/base/for_vectors-inl.h"
#include "kernels/base/sqrt-inl.h"
#include "kernels/optim/adam_isa.h"

namespace kwker::optim {
namespace {

template <class Vec, WeightDecay kDecay, bool kAmsgrad>
class AdamBody {
 public:
  using T = typename Vec::T;
  using V = typename Vec::V;

  AdamBody(const AdamTensor<T>& t, const AdamScalars<T>& s, bool in_rest)
      : t_(t),
        tie_is_old_(in_rest),
        sign_(Vec::Set(s.maximize ? T(-0.0) : T(0.0))),
        weight_(Vec::Set(kDecay == WeightDecay::kDecoupled ? s.decay : s.weight_decay)),
        beta2_(Vec::Set(s.beta2)),
        one_minus_beta2_(Vec::Set(s.one_minus_beta2)),
        eps_(Vec::Set(s.eps)),
        step_size_neg_(Vec::Set(t.step_size_neg)),
        bias_correction2_sqrt_(Vec::Set(t.bias_correction2_sqrt)) {
    const T w = s.one_minus_beta1;
    lerp_from_average_ = (w < 0 ? -w : w) < T(0.5);
    // For w = 1 the coefficient is a zero, of which the sign counts.
    lerp_weight_ = Vec::Set(lerp_from_average_ ? w : (in_rest ? -(T(1) - w) : w - T(1)));
  }

  // What the square root is taken of.
  const T* RootOf() const { return kAmsgrad ? t_.max_exp_avg_sq : t_.exp_avg_sq; }

  // The moments of [begin, end). Returns whether SqrtInRange() covers the squares of
  // all whole vectors.
  bool Moments(std::int64_t begin, std::int64_t end) const {
    return lerp_from_average_ ? Moments<true>(begin, end) : Moments<false>(begin, end);
  }

  // The parameters of [begin, end) from their moments. `corrected(i, n)` is the root
  // over bias_correction2_sqrt of elements [i, i+n), n <= Vec::kSize.
  template <class Corrected>
  void Update(std::int64_t begin, std::int64_t end, const Corrected& corrected) const {
    ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      V p = Get<Vec, kWhole>(t_.param + i, n);
      if constexpr (kDecay == WeightDecay::kDecoupled) p = Vec::Mul(p, weight_);
      const V denom = Vec::Add(corrected.template operator()<kWhole>(i, n), eps_);
      const V m = Get<Vec, kWhole>(t_.exp_avg + i, n);
      p = Vec::Add(p, Vec::Div(Vec::Mul(step_size_neg_, m), denom));
      Put<Vec, kWhole>(t_.param + i, p, n);
    });
  }

  V Corrected(V root) const { return Vec::Div(root, bias_correction2_sqrt_); }

 private:
  template <bool kLerpFromAverage>
  bool Moments(std::int64_t begin, std::int64_t end) const {
    typename Vec::M covered = SqrtCovers<Vec>(Vec::Set(1));
    ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      const auto load = [n](const T* from) { return Get<Vec, kWhole>(from, n); };
      V g = Vec::Xor(load(t_.grad + i), sign_);
      if constexpr (kDecay == WeightDecay::kCoupled) {
        g = Vec::Mad(load(t_.param + i), weight_, g);
      }
      const V old_m = load(t_.exp_avg + i);
      const V d = Vec::Sub(g, old_m);
      Put<Vec, kWhole>(t_.exp_avg + i, Vec::Mad(lerp_weight_, d, kLerpFromAverage ? old_m : g), n);
      V v = Vec::Mul(load(t_.exp_avg_sq + i), beta2_);
      v = Vec::Mad(Vec::Mul(one_minus_beta2_, g), g, v);
      Put<Vec, kWhole>(t_.exp_avg_sq + i, v, n);
      if constexpr (kAmsgrad) {
        v = Maximum(load(t_.max_exp_avg_sq + i), v);
        Put<Vec, kWhole>(t_.max_exp_avg_sq + i, v, n);
      }
      if constexpr (kWhole) covered = Vec::Both(covered, SqrtCovers<Vec>(v));
    });
    return Vec::All(covered);
  }

  // A NaN if one of them is, and of two zeros the one that torch's loop takes. The
  // processor's maximum is its second operand in both of these cases.
  V Maximum(V old, V v) const {
    const V larger = tie_is_old_ ? Vec::Max(v, old) : Vec::Max(old, v);
    return Vec::Where(Vec::IsNan(v), v, Vec::Where(Vec::IsNan(old), old, larger));
  }

  const AdamTensor<T> t_;
  bool lerp_from_average_, tie_is_old_;
  V lerp_weight_, sign_, weight_, beta2_, one_minus_beta2_, eps_, step_size_neg_;
  V bias_correction2_sqrt_;
};

// Elements are handled in blocks of two passes. In a single pass, an element's
// operations are so long a chain that too few chains fit the processor's window of
// instructions in flight; in short blocks the divisions of one overlap with the
// moments of the next. (Measured on Zen 3: 64 to 256 elements are best.) The library
// gets blocks that are worth a call, and still stay in the first-level cache.
template <class T, SqrtForm kForm>
inline constexpr std::int64_t kAdamBlock =
    (kForm == SqrtForm::kLibrary ? 4096 : 512) / static_cast<std::int64_t>(sizeof(T));

template <SqrtForm kForm, class Vec, WeightDecay kDecay, bool kAmsgrad>
void AdamBlocks(const AdamBody<Vec, kDecay, kAmsgrad>& body, std::int64_t begin, std::int64_t end,
                const Divisor<Vec>& divisor, LibrarySqrt<typename Vec::T> library) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  static_assert(double{kLeastDividend<T>} * kLeastDividend<T> <= kSqrtLow<T> &&
                    double{kMostDividend<T>} * kMostDividend<T> >= kSqrtHigh<T>,
                "every root is a dividend");
  constexpr std::int64_t kBlock = kAdamBlock<T, kForm>;
  const T* const root_of = body.RootOf();
  for (std::int64_t start = begin; start < end; start += kBlock) {
    const std::int64_t stop = end - start < kBlock ? end : start + kBlock;
    const bool covered = body.Moments(start, stop);
    if constexpr (kForm == SqrtForm::kLibrary) {
      alignas(64) T roots[kBlock];
      library(stop - start, root_of + start, roots);
      body.Update(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
        return body.Corrected(Get<Vec, kWhole>(roots + (i - start), n));
      });
    } else {
      const auto anywhere = [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
        const V x = Get<Vec, kWhole>(root_of + i, n);
        return body.Corrected(SqrtVector<Vec, kForm>(x, library));
      };
      if (!covered || !divisor.IsExact()) {
        body.Update(start, stop, anywhere);
        continue;
      }
      // Only the division of Update() is left to the divider, the slowest part of the
      // processor.
      body.Update(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
        if constexpr (!kWhole) return anywhere.template operator()<false>(i, n);
        return divisor.Quotient(SqrtInRange<Vec, kForm>(Vec::Load(root_of + i)));
      });
    }
  }
}

template <class Vec, WeightDecay kDecay, bool kAmsgrad>
void AdamRange(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
               bool in_rest, const AdamScalars<typename Vec::T>& s,
               const SqrtChoice<typename Vec::T>& sqrt) {
  constexpr std::int64_t kWorthDivisor = 512;  // elements
  const AdamBody<Vec, kDecay, kAmsgrad> body(t, s, in_rest);
  Divisor<Vec> divisor;
  if (end - begin >= kWorthDivisor) divisor = Divisor<Vec>(t.bias_correction2_sqrt);
  WithSqrtForm<Vec>(sqrt.form, [&]<SqrtForm kForm>() {
    AdamBlocks<kForm>(body, begin, end, divisor, sqrt.library);
  });
}

template <class Vec, WeightDecay kDecay>
void AdamWithDecay(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                   bool in_rest, const AdamScalars<typename Vec::T>& s,
                   const SqrtChoice<typename Vec::T>& sqrt) {
  return t.max_exp_avg_sq == nullptr
             ? AdamRange<Vec, kDecay, false>(t, begin, end, in_rest, s, sqrt)
             : AdamRange<Vec, kDecay, true>(t, begin, end, in_rest, s, sqrt);
}

template <class Vec>
void AdamAnyKind(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                 bool in_rest, const AdamScalars<typename Vec::T>& s,
                 const SqrtChoice<typename Vec::T>& sqrt) {
  switch (s.weight_decay_kind) {
    case WeightDecay::kNone:
      return AdamWithDecay<Vec, WeightDecay::kNone>(t, begin, end, in_rest, s, sqrt);
    case WeightDecay::kCoupled:
      return AdamWithDecay<Vec, WeightDecay::kCoupled>(t, begin, end, in_rest, s, sqrt);
    case WeightDecay::kDecoupled:
      return AdamWithDecay<Vec, WeightDecay::kDecoupled>(t, begin, end, in_rest, s, sqrt);
  }
}

}  // namespace
}  // namespace kwker::optim

// The body of adam.h for one instruction set. Include a vec_*.h first.
#pragma once

#include <cstdint>

#include "kernels/base/for_vectors-inl.h"
#include "kernels/base/sqrt-inl.h"
#include "kernels/optim/adam_isa.h"

namespace kwker::optim {
namespace {

template <class Vec, WeightDecay kDecay, SqrtForm kForm>
struct AdamBody {
  using T = typename Vec::T;
  using V = typename Vec::V;

  explicit AdamBody(const AdamTensor<T>& tensor, const AdamScalars<T>& s, LibrarySqrt<T> library)
      : t(tensor),
        library_sqrt(library),
        sign(Vec::Set(s.maximize ? T(-0.0) : T(0.0))),
        weight(Vec::Set(kDecay == WeightDecay::kDecoupled ? s.decay : s.weight_decay)),
        beta2(Vec::Set(s.beta2)),
        one_minus_beta2(Vec::Set(s.one_minus_beta2)),
        eps(Vec::Set(s.eps)),
        step_size_neg(Vec::Set(tensor.step_size_neg)),
        bias_correction2_sqrt(Vec::Set(tensor.bias_correction2_sqrt)) {
    const T w = s.one_minus_beta1;
    lerp_from_average = (w < 0 ? -w : w) < T(0.5);
    lerp_weight = Vec::Set(lerp_from_average ? w : w - T(1));
  }

  // The two moments of elements [i, i+n), n <= Vec::kSize. kWhole: n == kSize.
  template <bool kWhole>
  void Moments(std::int64_t i, std::int64_t n, V* p, V* m, V* v) const {
    const auto load = [n](const T* from) { return Get<Vec, kWhole>(from, n); };
    *p = load(t.param + i);
    V g = Vec::Xor(load(t.grad + i), sign);
    if constexpr (kDecay == WeightDecay::kCoupled) g = Vec::Mad(*p, weight, g);
    const V old_m = load(t.exp_avg + i);
    const V d = Vec::Sub(g, old_m);
    *m = Vec::Mad(lerp_weight, d, lerp_from_average ? old_m : g);
    *v = Vec::Mul(load(t.exp_avg_sq + i), beta2);
    *v = Vec::Mad(Vec::Mul(one_minus_beta2, g), g, *v);
    Put<Vec, kWhole>(t.exp_avg + i, *m, n);
    Put<Vec, kWhole>(t.exp_avg_sq + i, *v, n);
  }

  template <bool kWhole>
  void Update(std::int64_t i, std::int64_t n, V p, V m, V root) const {
    if constexpr (kDecay == WeightDecay::kDecoupled) p = Vec::Mul(p, weight);
    const V denom = Vec::Add(Vec::Div(root, bias_correction2_sqrt), eps);
    p = Vec::Add(p, Vec::Div(Vec::Mul(step_size_neg, m), denom));
    Put<Vec, kWhole>(t.param + i, p, n);
  }

  template <bool kWhole>
  void InRegisters(std::int64_t i, std::int64_t n) const {
    V p, m, v;
    Moments<kWhole>(i, n, &p, &m, &v);
    Update<kWhole>(i, n, p, m, SqrtVector<Vec, kForm>(v, library_sqrt));
  }

  const AdamTensor<T> t;
  LibrarySqrt<T> library_sqrt;
  bool lerp_from_average;
  V lerp_weight, sign, weight, beta2, one_minus_beta2, eps, step_size_neg, bias_correction2_sqrt;
};

template <class Vec, WeightDecay kDecay, SqrtForm kForm>
void AdamRange(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
               const AdamScalars<typename Vec::T>& s, LibrarySqrt<typename Vec::T> library) {
  using T = typename Vec::T;
  using V = typename Vec::V;
  const AdamBody<Vec, kDecay, kForm> body(t, s, library);
  if constexpr (kForm != SqrtForm::kLibrary) {
    ForVectors<Vec>(begin, end, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      body.template InRegisters<kWhole>(i, n);
    });
    return;
  }
  // Blocks that stay in the first-level cache between the two halves.
  constexpr std::int64_t kBlock = 2048 / sizeof(T);
  alignas(64) T roots[kBlock];
  for (std::int64_t start = begin; start < end; start += kBlock) {
    const std::int64_t stop = end - start < kBlock ? end : start + kBlock;
    ForVectors<Vec>(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      V p, m, v;
      body.template Moments<kWhole>(i, n, &p, &m, &v);
    });
    library(stop - start, t.exp_avg_sq + start, roots);
    ForVectors<Vec>(start, stop, [&]<bool kWhole>(std::int64_t i, std::int64_t n) {
      const auto load = [n](const T* from) { return Get<Vec, kWhole>(from, n); };
      body.template Update<kWhole>(i, n, load(t.param + i), load(t.exp_avg + i),
                                   load(roots + (i - start)));
    });
  }
}

template <class Vec, SqrtForm kForm>
void AdamWithForm(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                  const AdamScalars<typename Vec::T>& s, LibrarySqrt<typename Vec::T> library) {
  switch (s.weight_decay_kind) {
    case WeightDecay::kNone:
      return AdamRange<Vec, WeightDecay::kNone, kForm>(t, begin, end, s, library);
    case WeightDecay::kCoupled:
      return AdamRange<Vec, WeightDecay::kCoupled, kForm>(t, begin, end, s, library);
    case WeightDecay::kDecoupled:
      return AdamRange<Vec, WeightDecay::kDecoupled, kForm>(t, begin, end, s, library);
  }
}

template <class Vec>
void AdamAnyForm(const AdamTensor<typename Vec::T>& t, std::int64_t begin, std::int64_t end,
                 const AdamScalars<typename Vec::T>& s, const SqrtChoice<typename Vec::T>& sqrt) {
  switch (sqrt.form) {
    case SqrtForm::kLibrary:
      return AdamWithForm<Vec, SqrtForm::kLibrary>(t, begin, end, s, sqrt.library);
    case SqrtForm::kIeee:
      return AdamWithForm<Vec, SqrtForm::kIeee>(t, begin, end, s, sqrt.library);
    case SqrtForm::kEstimate:
      break;
  }
#ifdef __AVX512F__
  return AdamWithForm<Vec, SqrtForm::kEstimate>(t, begin, end, s, sqrt.library);
#endif
}

}  // namespace
}  // namespace kwker::optim

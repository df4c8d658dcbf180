#include "kernels/optim/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/optim/adadelta.h"
#include "kernels/optim/adagrad.h"
#include "kernels/optim/adamax.h"
#include "kernels/optim/asgd.h"
#include "kernels/optim/average.h"
#include "kernels/optim/nadam.h"
#include "kernels/optim/radam.h"
#include "kernels/optim/reference.h"
#include "kernels/optim/rmsprop.h"
#include "kernels/optim/rprop.h"

namespace kwker::optim {
namespace {

template <typename T>
void Ieee(std::int64_t n, const T* x, T* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]);
}

// The formulas of the headers, one element at a time.
template <typename T>
class Formulas {
 public:
  explicit Formulas(Isa isa) : isa_(isa) {}

  T Mad(T a, T b, T c) const {
    if (isa_ != Isa::kDefault) return std::fma(a, b, c);
    const T product = a * b;
    return product + c;
  }
  T Gradient(const GradientScalars<T>& s, T p, T g) const {
    g = s.maximize ? -g : g;
    return s.has_weight_decay ? Mad(p, s.weight_decay, g) : g;
  }
  T Lerp(T from, T to, T w) const {
    const T d = to - from;
    return std::abs(w) < T(0.5) ? Mad(w, d, from) : Mad(w - T(1), d, to);
  }
  T SquareAverage(T average, T x, T decay, T weight) const {
    average = average * decay;
    return Mad(weight * x, x, average);
  }

 private:
  Isa isa_;
};

// A parameter, its gradient, and its state, all of n elements.
template <typename T>
using Arrays = std::array<std::vector<T>, 5>;

template <typename T>
using Element = std::function<void(T* p, T g, T* a, T* b, T* c)>;

template <typename T, class Make, class Scalars>
void Check(Isa isa, const Make& make, const Scalars& scalars, const Element<T>& element) {
  for (const std::int64_t n : {0, 1, 3, 4, 7, 8, 15, 16, 17, 33, 513, 70001}) {
    Arrays<T> arrays;
    for (int k = 0; k < 5; ++k) arrays[k] = TestData<T>(n, k, n % 2 == 1, /*positive=*/k > 1);
    Arrays<T> expected = arrays;
    for (std::int64_t i = 0; i < n; ++i) {
      auto& [p, g, a, b, c] = expected;
      element(&p[i], g[i], &a[i], &b[i], &c[i]);
    }
    const auto tensor = make(arrays, n);
    using Tensor = std::remove_const_t<decltype(tensor)>;
    Step(std::span<const Tensor>(&tensor, 1), scalars, isa, Backwards(n > 1000 ? 3 : 1));
    for (int k = 0; k < 5; ++k) EXPECT_TRUE(SameBits(arrays[k], expected[k])) << n << ' ' << k;
  }
}

template <typename T>
void CheckRmsprop(Isa isa, SqrtForm form, bool centered, bool momentum) {
  const Formulas<T> f(isa);
  const RmspropScalars<T> s = {{true, centered, T(0.1)}, T(0.9), T(0.1), T(1e-3), T(0.8), T(-0.1),
                               {form, &Ieee<T>},         0};
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return RmspropTensor<T>{x[0].data(),
                            x[1].data(),
                            x[2].data(),
                            centered ? x[3].data() : nullptr,
                            momentum ? x[4].data() : nullptr,
                            n};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* square, T* average, T* buffer) {
    g = f.Gradient(s.gradient, *p, g);
    *square = f.SquareAverage(*square, g, s.alpha, s.one_minus_alpha);
    T radicand = *square;
    if (centered) {
      *average = f.Lerp(*average, g, s.one_minus_alpha);
      radicand = f.Mad(-*average, *average, *square);
    }
    const T d = std::sqrt(radicand) + s.eps;
    if (momentum) {
      const T decayed = *buffer * s.momentum;
      *buffer = decayed + g / d;
      *p = f.Mad(*buffer, s.lr_neg, *p);
    } else {
      *p = *p + s.lr_neg * g / d;
    }
  });
}

template <typename T>
void CheckAdagrad(Isa isa, SqrtForm form, bool decay) {
  const Formulas<T> f(isa);
  const AdagradScalars<T> s = {{!decay, decay, T(0.1)}, T(1e-3), {form, &Ieee<T>}};
  const T clr_neg = T(-0.3);
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return AdagradTensor<T>{x[0].data(), x[1].data(), x[2].data(), n, clr_neg};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* sum, T*, T*) {
    g = f.Gradient(s.gradient, *p, g);
    *sum = f.Mad(g, g, *sum);
    *p = *p + clr_neg * g / (std::sqrt(*sum) + s.eps);
  });
}

template <typename T>
MomentsScalars<T> SomeMoments(bool decoupled, T w) {
  return {{decoupled, !decoupled, T(0.1)}, decoupled, T(0.99), w, T(0.9), T(0.1)};
}

// Both moments and the parameter before the update.
template <typename T>
void Moments(const Formulas<T>& f, const MomentsScalars<T>& s, T* p, T* g, T* m, T* v) {
  *g = f.Gradient(s.gradient, *p, *g);
  if (s.decoupled) *p = *p * s.decay;
  *m = f.Lerp(*m, *g, s.one_minus_beta1);
  *v = f.SquareAverage(*v, *g, s.beta2, s.one_minus_beta2);
}

template <typename T>
MomentsTensor<T> MomentsOf(Arrays<T>& x, std::int64_t n) {
  return {x[0].data(), x[1].data(), x[2].data(), x[3].data(), n};
}

template <typename T>
void CheckNadam(Isa isa, SqrtForm form, bool decoupled) {
  const Formulas<T> f(isa);
  const NadamScalars<T> s = {
      SomeMoments<T>(decoupled, decoupled ? T(0.7) : T(0.1)), T(1e-3), {form, &Ieee<T>}, 0};
  const T correction = T(0.3), grad_factor = T(-0.02), exp_avg_factor = T(-0.1);
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return NadamTensor<T>{MomentsOf(x, n), correction, grad_factor, exp_avg_factor};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* m, T* v, T*) {
    Moments(f, s.moments, p, &g, m, v);
    const T d = std::sqrt(*v / correction) + s.eps;
    *p = *p + grad_factor * g / d;
    *p = *p + exp_avg_factor * *m / d;
  });
}

template <typename T>
void CheckRadam(Isa isa, SqrtForm form, bool rectified) {
  const Formulas<T> f(isa);
  const RadamScalars<T> s = {
      SomeMoments<T>(rectified, T(0.1)), T(1e-3), T(0.1), {form, &Ieee<T>}, 0};
  const T correction1 = T(0.3), correction2_sqrt = T(0.2), rect = T(0.6);
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return RadamTensor<T>{MomentsOf(x, n), correction1, rectified, correction2_sqrt, rect};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* m, T* v, T*) {
    Moments(f, s.moments, p, &g, m, v);
    T u = *m / correction1 * s.lr;
    if (rectified) {
      const T inverse = T(1) / (std::sqrt(*v) + s.eps);
      u = u * (inverse * correction2_sqrt) * rect;
    }
    *p = *p - u;
  });
}

template <typename T>
void CheckAdamax(Isa isa, bool decay) {
  const Formulas<T> f(isa);
  const AdamaxScalars<T> s = {{!decay, decay, T(0.1)}, T(0.1), T(0.9), T(1e-3), 2};
  const T clr_neg = T(-0.2);
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return AdamaxTensor<T>{x[0].data(), x[1].data(), x[2].data(), x[3].data(), n, clr_neg};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* m, T* u, T*) {
    g = f.Gradient(s.gradient, *p, g);
    *m = f.Lerp(*m, g, s.one_minus_beta1);
    const T old = *u * s.beta2, now = std::abs(g) + s.eps;
    *u = std::isnan(now) || now > old ? now : old;
    *p = *p + clr_neg * *m / *u;
  });
}

template <typename T>
void CheckAdadelta(Isa isa, SqrtForm form) {
  const Formulas<T> f(isa);
  const AdadeltaScalars<T> s = {{true, true, T(0.1)}, T(0.9), T(0.1), T(1e-3), T(-0.5),
                                {form, &Ieee<T>}};
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return AdadeltaTensor<T>{x[0].data(), x[1].data(), x[2].data(), x[3].data(), n};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* square, T* delta, T*) {
    g = f.Gradient(s.gradient, *p, g);
    *square = f.SquareAverage(*square, g, s.rho, s.one_minus_rho);
    const T u = std::sqrt(*delta + s.eps) / std::sqrt(*square + s.eps) * g;
    *delta = f.SquareAverage(*delta, u, s.rho, s.one_minus_rho);
    *p = f.Mad(u, s.lr_neg, *p);
  });
}

template <typename T>
void CheckAsgd(Isa isa, bool averaging) {
  const Formulas<T> f(isa);
  const AsgdScalars<T> s = {{true, averaging, T(0.1)}};
  const T decay = T(0.99), eta_neg = T(-0.1), mu = T(0.3);
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return AsgdTensor<T>{x[0].data(), x[1].data(), x[2].data(), n, decay, eta_neg, averaging, mu};
  };
  Check<T>(isa, make, s, [&](T* p, T g, T* average, T*, T*) {
    g = f.Gradient(s.gradient, *p, g);
    const T decayed = *p * decay;
    *p = f.Mad(g, eta_neg, decayed);
    const T difference = *p - *average;
    *average = averaging ? *average + difference * mu : *p;
  });
}

template <typename T>
void CheckRprop(Isa isa, bool maximize) {
  const RpropScalars<T> s = {maximize, T(0.5), T(1.2), T(1e-3), T(2)};
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return RpropTensor<T>{x[0].data(), x[1].data(), x[2].data(), x[3].data(), n};
  };
  const Formulas<T> f(isa);
  Check<T>(isa, make, s, [&](T* p, T g, T* previous, T* size, T*) {
    g = maximize ? -g : g;
    const T agreement = g * *previous;
    *size *= agreement > 0 ? s.eta_plus : agreement < 0 ? s.eta_minus : T(1);
    *size = std::min(std::max(*size, s.least), s.most);
    g = agreement < 0 ? T(0) : g;
    *p = f.Mad(g > 0 ? T(-1) : g < 0 ? T(1) : T(-0.0), *size, *p);
    *previous = g;
  });
}

template <typename T>
void CheckAverage(Isa isa, AverageRule rule, T weight) {
  const AverageScalars<T> s = {rule, T(7), T(0.9), weight, 0};
  const auto make = [&](Arrays<T>& x, std::int64_t n) {
    return AverageTensor<T>{x[0].data(), x[1].data(), n};
  };
  const Formulas<T> f(isa);
  Check<T>(isa, make, s, [&](T* a, T p, T*, T*, T*) {
    const T d = p - *a, kept = s.decay * *a, added = weight * p;
    *a = rule == AverageRule::kRunning       ? *a + d / s.count
         : rule == AverageRule::kExponential ? kept + added
                                             : f.Lerp(*a, p, weight);
  });
}

template <typename T>
void CheckAll(Isa isa) {
  CheckAverage<T>(isa, AverageRule::kRunning, 0);
  CheckAverage<T>(isa, AverageRule::kExponential, T(0.1));
  CheckAverage<T>(isa, AverageRule::kLerp, T(0.1));
  CheckAverage<T>(isa, AverageRule::kLerp, T(0.7));
  for (const SqrtForm form : {SqrtForm::kLibrary, SqrtForm::kIeee}) {
    for (const bool first : {false, true}) {
      CheckRmsprop<T>(isa, form, first, false);
      CheckRmsprop<T>(isa, form, first, true);
      CheckAdagrad<T>(isa, form, first);
      CheckNadam<T>(isa, form, first);
      CheckRadam<T>(isa, form, first);
      CheckAdamax<T>(isa, first);
      CheckAsgd<T>(isa, first);
      CheckRprop<T>(isa, first);
    }
    CheckAdadelta<T>(isa, form);
  }
}

class StepsTest : public testing::TestWithParam<Isa> {};

TEST_P(StepsTest, EqualTheFormulasToTheBit) {
  if (!IsaIsSupported(GetParam())) GTEST_SKIP() << "not on this CPU";
  CheckAll<float>(GetParam());
  CheckAll<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Isas, StepsTest, testing::Values(Isa::kDefault, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return std::string(IsaName(info.param)); });

}  // namespace
}  // namespace kwker::optim

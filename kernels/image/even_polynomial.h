// A smooth even function as a polynomial of its argument's square.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace kwker::image {

// Interpolates f(x), |x| <= reach, at kTerms Chebyshev nodes of x^2. For functions
// such as sines and their products the error falls faster than geometrically with
// kTerms.
template <std::size_t kTerms>
class EvenPolynomial {
 public:
  template <class Function>
  EvenPolynomial(const Function& f, double reach) : scale_(2.0 / (reach * reach)) {
    // Coefficients of the Chebyshev polynomials of t = scale * x^2 - 1 ...
    std::array<double, kTerms> chebyshev = {};
    for (std::size_t node = 0; node < kTerms; ++node) {
      const double angle = Angle(node);
      const double value = f(std::sqrt((std::cos(angle) + 1.0) / scale_));
      for (std::size_t i = 0; i < kTerms; ++i) {
        chebyshev[i] += value * std::cos(static_cast<double>(i) * angle) * (i == 0 ? 1.0 : 2.0) /
                        static_cast<double>(kTerms);
      }
    }
    // ... to those of powers of t, as T[i] = 2 t T[i - 1] - T[i - 2].
    std::array<double, kTerms> before = {}, now = {1.0};
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t power = 0; power < kTerms; ++power) {
        powers_[power] += chebyshev[i] * now[power];
      }
      std::array<double, kTerms> next = {};
      for (std::size_t power = 0; power < kTerms; ++power) {
        const double shifted = power == 0 ? 0.0 : now[power - 1];
        next[power] = (i == 0 ? 1.0 : 2.0) * shifted - before[power];
      }
      before = now;
      now = next;
    }
  }

  // Several values at once: steps of so many are what compilers turn into vectors.
  static constexpr int kBlock = 8;
  void operator()(const double (&x)[kBlock], double (&y)[kBlock]) const {
    double t[kBlock], sum[kBlock];
    for (int j = 0; j < kBlock; ++j) {
      t[j] = scale_ * (x[j] * x[j]) - 1.0;
      sum[j] = powers_[kTerms - 1];
    }
    for (std::size_t i = kTerms - 1; i-- > 0;) {
      for (int j = 0; j < kBlock; ++j) sum[j] = sum[j] * t[j] + powers_[i];
    }
    for (int j = 0; j < kBlock; ++j) y[j] = sum[j];
  }

 private:
  static double Angle(std::size_t node) {
    return (static_cast<double>(node) + 0.5) * std::numbers::pi / static_cast<double>(kTerms);
  }

  double scale_;
  std::array<double, kTerms> powers_ = {};
};

}  // namespace kwker::image

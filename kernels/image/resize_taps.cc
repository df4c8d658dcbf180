#include "kernels/image/resize_taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/image/even_polynomial.h"

namespace kwker::image {
namespace {

constexpr double kPi = std::numbers::pi;

struct Box {
  static constexpr double kSupport = 0.5;
  static double At(double x) { return x > -0.5 && x <= 0.5 ? 1.0 : 0.0; }
};

struct Bilinear {
  static constexpr double kSupport = 1.0;
  static double At(double x) {
    x = std::abs(x);
    return x < 1.0 ? 1.0 - x : 0.0;
  }
};

struct Hamming {
  static constexpr double kSupport = 1.0;
  static constexpr std::size_t kTerms = 12;
  static double At(double x) {
    x = std::abs(x);
    if (x == 0.0) return 1.0;
    if (x >= 1.0) return 0.0;
    x = x * kPi;
    // The two constants are floats in Pillow.
    return std::sin(x) / x * (double{0.54f} + double{0.46f} * std::cos(x));
  }
};

// R. Keys, "Cubic convolution interpolation" (1981), with a = -1/2.
struct Bicubic {
  static constexpr double kSupport = 2.0;
  static double At(double x) {
    x = std::abs(x);
    if (x < 1.0) return (1.5 * x - 2.5) * x * x + 1.0;
    if (x < 2.0) return (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5;
    return 0.0;
  }
};

struct Lanczos {
  static constexpr double kSupport = 3.0;
  static constexpr std::size_t kTerms = 17;
  static double At(double x) {
    return -3.0 <= x && x < 3.0 ? NormalisedSinc(x) * NormalisedSinc(x / 3.0) : 0.0;
  }
  static double NormalisedSinc(double x) {
    if (x == 0.0) return 1.0;
    x = x * kPi;
    return std::sin(x) / x;
  }
};

// J. Costella, "Magic kernel sharp": https://johncostella.com/magic/.
struct Mks2013 {
  static constexpr double kSupport = 2.5;
  static double At(double x) {
    x = std::abs(x);
    if (x < 0.5) return 17.0 / 16.0 - 7.0 / 4.0 * (x * x);
    if (x < 1.5) return (1.0 - x) * (7.0 / 4.0 - x);
    if (x < 2.5) return -1.0 / 8.0 * ((x - 2.5) * (x - 2.5));
    return 0.0;
  }
};

struct Mks2021 {
  static constexpr double kSupport = 4.5;
  static double At(double x) {
    x = std::abs(x);
    if (x < 0.5) return 577.0 / 576.0 - 239.0 / 144.0 * (x * x);
    if (x < 1.5) return 35.0 / 36.0 * (x - 1.0) * (x - 239.0 / 140.0);
    if (x < 2.5) return 1.0 / 6.0 * (x - 2.0) * (65.0 / 24.0 - x);
    if (x < 3.5) return 1.0 / 36.0 * (x - 3.0) * (x - 15.0 / 4.0);
    if (x < 4.5) return -1.0 / 288.0 * ((x - 4.5) * (x - 4.5));
    return 0.0;
  }
};

// The filters that are worth a polynomial.
template <class F>
concept HasSines = requires { F::kTerms; };

// Where an output element's taps lie.
struct Place {
  double center, inverse;
  int first, count;

  double Argument(int i) const { return (i + first - center + 0.5) * inverse; }
};

template <class F>
void Weigh(const Place& place, double* w) {
  double sum = 0.0;
  for (int i = 0; i < place.count; ++i) {
    w[i] = F::At(place.Argument(i));
    sum += w[i];
  }
  if (sum == 0.0) return;
  for (int i = 0; i < place.count; ++i) w[i] /= sum;
}

// False where the exact weights have to be asked: one is so near the middle between
// two of FixedPoint()'s values that it may be on the other side.
template <class F>
bool WeighQuickly(const Place& place, double* w) {
  // No tap is further out than the support but for the rounding of its place, where
  // these filters are near zero anyway.
  using Polynomial = EvenPolynomial<F::kTerms>;
  static const Polynomial filter(&F::At, F::kSupport);
  bool in_doubt = false;
  for (int i = 0; i < place.count; i += Polynomial::kBlock) {
    double x[Polynomial::kBlock], y[Polynomial::kBlock];
    for (int j = 0; j < Polynomial::kBlock; ++j) x[j] = place.Argument(i + j);
    // Hamming jumps there: its two constants, as floats, do not add up to 1.
    for (int j = 0; j < Polynomial::kBlock; ++j) in_doubt |= x[j] == 0.0;
    filter(x, y);
    std::copy_n(y, std::min(Polynomial::kBlock, place.count - i), w + i);
  }
  double sums[2] = {0.0, 0.0};
  for (int i = 0; i < place.count; ++i) sums[i % 2] += w[i];
  const double sum = sums[0] + sums[1];
  if (!(sum > 0.5)) return false;  // where errors would grow; does not happen to these filters
  const double scale = 1.0 / sum;
  // In 2^-20 of the fixed point's unit. The doubt is some hundred times the error.
  constexpr std::uint32_t kUnit = 1 << 20, kDoubt = 512;
  for (int i = 0; i < place.count; ++i) {
    w[i] *= scale;
    const auto parts = static_cast<std::int64_t>(std::abs(w[i]) * 0x1p42);
    const std::uint32_t fraction = static_cast<std::uint32_t>(parts) & (kUnit - 1);
    in_doubt |= fraction - (kUnit / 2 - kDoubt) < 2 * kDoubt;
  }
  return !in_doubt;
}

template <class F>
Taps Make(int in_size, float begin, float end, int out_size, Precision precision) {
  const double scale = static_cast<double>(end - begin) / out_size;
  const double stretch = std::max(scale, 1.0);
  const double support = F::kSupport * stretch;

  Taps taps;
  taps.out_size = out_size;
  taps.stride = static_cast<int>(std::ceil(support)) * 2 + 1;
  taps.first.resize(static_cast<std::size_t>(out_size));
  taps.count.resize(static_cast<std::size_t>(out_size));
  taps.weights.resize(static_cast<std::size_t>(out_size) * static_cast<std::size_t>(taps.stride));
  double* w = taps.weights.data();
  for (int x = 0; x < out_size; ++x, w += taps.stride) {
    const double center = begin + (x + 0.5) * scale;
    const int first = std::max(static_cast<int>(center - support + 0.5), 0);
    const int last = std::min(static_cast<int>(center + support + 0.5), in_size);
    const Place place = {center, 1.0 / stretch, first, std::max(last - first, 0)};
    bool done = false;
    if constexpr (HasSines<F>) {
      done = precision == Precision::kFixedPoint && WeighQuickly<F>(place, w);
    }
    if (!done) Weigh<F>(place, w);
    taps.first[static_cast<std::size_t>(x)] = place.first;
    taps.count[static_cast<std::size_t>(x)] = place.count;
  }
  return taps;
}

}  // namespace

Taps MakeTaps(Filter filter, int in_size, float begin, float end, int out_size,
              Precision precision) {
  const auto make = [&]<class F>(F) { return Make<F>(in_size, begin, end, out_size, precision); };
  switch (filter) {
    case Filter::kLanczos:
      return make(Lanczos());
    case Filter::kBilinear:
      return make(Bilinear());
    case Filter::kBicubic:
      return make(Bicubic());
    case Filter::kBox:
      return make(Box());
    case Filter::kHamming:
      return make(Hamming());
    case Filter::kMks2013:
      return make(Mks2013());
    case Filter::kMks2021:
      break;
  }
  return make(Mks2021());
}

}  // namespace kwker::image

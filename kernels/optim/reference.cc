#include "kernels/optim/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace kwker::optim {
namespace {

template <typename T>
T Mad(T a, T b, T c, Isa isa) {
  if (isa != Isa::kDefault) return std::fma(a, b, c);
  const T product = a * b;
  return product + c;
}

// Whether torch's loops handle element i by their code for the rest.
bool InRest(std::int64_t i, std::int64_t numel, std::int64_t size, int threads) {
  std::int64_t ranges = 1, step = 64 / size;
  while (ranges < threads && ranges * 32768 < numel) ++ranges;
  const std::int64_t length = (numel + ranges - 1) / ranges;
  const std::int64_t of_range = std::min(length, numel - i / length * length);
  return i % length >= of_range - of_range % step;
}

template <typename T>
T Maximum(T old, T v, bool in_rest) {
  if (std::isnan(old) || std::isnan(v)) return std::numeric_limits<T>::quiet_NaN();
  if (old == v) return in_rest ? old : v;
  return old < v ? v : old;
}

}  // namespace

template <typename T>
void ReferenceAdam(const AdamTensor<T>& t, const AdamScalars<T>& s, LibrarySqrt<T> sqrt, Isa isa) {
  for (std::int64_t i = 0; i < t.numel; ++i) {
    T p = t.param[i], m = t.exp_avg[i], v = t.exp_avg_sq[i];
    T g = s.maximize ? -t.grad[i] : t.grad[i];
    if (s.weight_decay_kind == WeightDecay::kCoupled) g = Mad(p, s.weight_decay, g, isa);
    if (s.weight_decay_kind == WeightDecay::kDecoupled) p = p * s.decay;
    const T w = s.one_minus_beta1, d = g - m;
    const bool in_rest = InRest(i, t.numel, sizeof(T), s.torch_threads);
    const T from_gradient = in_rest ? -(T(1) - w) : w - T(1);
    m = std::abs(w) < T(0.5) ? Mad(w, d, m, isa) : Mad(from_gradient, d, g, isa);
    v = v * s.beta2;
    v = Mad(s.one_minus_beta2 * g, g, v, isa);
    T x = v, root;
    if (t.max_exp_avg_sq != nullptr) x = Maximum(t.max_exp_avg_sq[i], v, in_rest);
    if (t.max_exp_avg_sq != nullptr) t.max_exp_avg_sq[i] = x;
    sqrt(1, &x, &root);
    const T denom = root / t.bias_correction2_sqrt + s.eps;
    t.param[i] = p + t.step_size_neg * m / denom;
    t.exp_avg[i] = m;
    t.exp_avg_sq[i] = v;
  }
}

template <typename T>
void ReferenceSgd(const SgdTensor<T>& t, const SgdScalars<T>& s, Isa isa) {
  for (std::int64_t i = 0; i < t.numel; ++i) {
    const T p = t.param[i];
    T g = s.maximize ? -t.grad[i] : t.grad[i];
    if (s.has_weight_decay) g = Mad(p, s.weight_decay, g, isa);
    if (t.momentum_buffer != nullptr) {
      T b = g;
      if (!t.first_step) {
        b = t.momentum_buffer[i] * s.momentum;
        b = Mad(g, s.one_minus_dampening, b, isa);
      }
      t.momentum_buffer[i] = b;
      g = s.nesterov ? Mad(b, s.momentum, g, isa) : b;
    }
    t.param[i] = Mad(g, s.lr_neg, p, isa);
  }
}

template <typename T>
std::vector<T> TestData(std::int64_t n, int seed, bool special, bool positive) {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {
      T(0),  -T(0), Limits::denorm_min(), Limits::min(),       Limits::max(),
      T(-1), T(1),  Limits::infinity(),   -Limits::infinity(), Limits::quiet_NaN()};
  std::mt19937 random(static_cast<unsigned>(seed));
  std::normal_distribution<T> normal;
  std::vector<T> data(static_cast<std::size_t>(n));
  for (T& x : data) {
    x = normal(random);
    if (positive) x = x * x * T(1e-3);
    if (special && random() % 4 == 0) x = specials[random() % std::size(specials)];
    if (positive) x = std::abs(x);
  }
  return data;
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return false;
  }
  return true;
}

ParallelFor Backwards(int threads) {
  return {threads, [](int tasks, const std::function<void(int)>& body) {
            for (int i = tasks - 1; i >= 0; --i) body(i);
          }};
}

#define KWKER_INSTANTIATE(T)                                                                     \
  template void ReferenceAdam(const AdamTensor<T>&, const AdamScalars<T>&, LibrarySqrt<T>, Isa); \
  template void ReferenceSgd(const SgdTensor<T>&, const SgdScalars<T>&, Isa);                    \
  template std::vector<T> TestData(std::int64_t, int, bool, bool);                               \
  template bool SameBits(const std::vector<T>&, const std::vector<T>&);
KWKER_INSTANTIATE(float)
KWKER_INSTANTIATE(double)
#undef KWKER_INSTANTIATE

}  // namespace kwker::optim

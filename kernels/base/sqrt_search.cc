// Finds forms of sqrt.h: which textbook iteration equals a library's square root on
// this processor.
//
//   bazel run -c opt //kernels/base:sqrt_search -- LIBRARY
//
// LIBRARY is the path of a shared library that exports vmsSqrt and vmdSqrt (torch's
// lib/libtorch_cpu.so). Every combination of estimate, fused or separate roundings,
// at most two refinements of the reciprocal root, and a way to the root is compared
// on some thousand numbers; what is equal there, on all 2^24 significands and both
// parities of the exponent (float32), or as many random ones and the neighbours of
// squares (float64). Only results are compared. Printed is what is equal, or else
// what comes closest.
#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace kwker {
namespace {

template <typename T>
using Library = void (*)(int n, const T* x, T* y, long long mode);

// High accuracy, denormals kept, errors ignored.
constexpr long long kMode = 0x2 | 0x140000 | 0x100;

template <typename T>
struct Arithmetic {
  bool fused;
  T Mad(T a, T b, T c) const {
    if (fused) return std::fma(a, b, c);
    const T product = a * b;
    return product + c;
  }
};

template <typename T>
struct Estimate {
  const char* words;
  bool (*is_supported)();
  T (*of)(T x);
};

bool Always() { return true; }
bool HasAvx512() { return __builtin_cpu_supports("avx512f") != 0; }

float Rsqrt12(float x) { return _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))); }
__attribute__((target("avx512f"))) float Rsqrt14(float x) {
  const __m128 v = _mm_set_ss(x);
  return _mm_cvtss_f32(_mm_rsqrt14_ss(v, v));
}
__attribute__((target("avx512f"))) double Rsqrt14(double x) {
  const __m128d v = _mm_set_sd(x);
  return _mm_cvtsd_f64(_mm_rsqrt14_sd(v, v));
}

std::vector<Estimate<float>> Estimates(float) {
  return {{"rsqrt14", &HasAvx512, [](float x) { return Rsqrt14(x); }},
          {"rsqrt12", &Always, [](float x) { return Rsqrt12(x); }}};
}

std::vector<Estimate<double>> Estimates(double) {
  return {{"rsqrt14", &HasAvx512, [](double x) { return Rsqrt14(x); }},
          {"rsqrt12 of x in float32", &Always,
           [](double x) { return double{Rsqrt12(static_cast<float>(x))}; }}};
}

// A better r ~ 1/sqrt(x), or sqrt(x) from it.
template <typename T>
struct Step {
  const char* words;
  T (*from)(const Arithmetic<T>& a, T x, T r);
};

#define KWKER_STEP(WORDS, ...) {WORDS, [](const Arithmetic<T>& a, T x, T r)->T __VA_ARGS__}

template <typename T>
std::vector<Step<T>> Refinements() {
  constexpr T kHalf = 0.5, kEighths3 = 0.375, kHalves3 = 1.5;
  return {
      KWKER_STEP("", { return static_cast<void>(a), static_cast<void>(x), r; }),
      KWKER_STEP("e = 1-(xr)r; r += (r/2)e; ",
                 { return a.Mad(kHalf * r, a.Mad(-(x * r), r, 1), r); }),
      KWKER_STEP("e = 1-x(rr); r += (r/2)e; ",
                 { return a.Mad(kHalf * r, a.Mad(-x, r * r, 1), r); }),
      KWKER_STEP("r = (r/2)(3-(xr)r); ", { return (kHalf * r) * a.Mad(-(x * r), r, 3); }),
      KWKER_STEP("r = (r/2)(3-x(rr)); ", { return (kHalf * r) * a.Mad(-x, r * r, 3); }),
      KWKER_STEP("r *= 1.5-(x/2 r)r; ", { return r * a.Mad(-(kHalf * x * r), r, kHalves3); }),
      KWKER_STEP("r *= 1.5-(x/2)(rr); ", { return r * a.Mad(-kHalf * x, r * r, kHalves3); }),
      KWKER_STEP("e = 1-(xr)r; r += (re)(1/2+3/8 e); ",
                 {
                   const T e = a.Mad(-(x * r), r, 1);
                   return a.Mad(r * e, a.Mad(kEighths3, e, kHalf), r);
                 }),
      KWKER_STEP("e = 1-x(rr); r += (re)(1/2+3/8 e); ",
                 {
                   const T e = a.Mad(-x, r * r, 1);
                   return a.Mad(r * e, a.Mad(kEighths3, e, kHalf), r);
                 }),
  };
}

// s ~ sqrt(x) and h ~ 1/(2 sqrt(x)), improved together (Goldschmidt) or not.
template <typename T>
struct Pair {
  T s, h;
  static Pair From(T x, T r) { return {x * r, T(0.5) * r}; }
  Pair Improved(const Arithmetic<T>& a) const {
    const T e = a.Mad(-s, h, T(0.5));
    return {a.Mad(s, e, s), a.Mad(h, e, h)};
  }
  T Newton(const Arithmetic<T>& a, T x) const { return a.Mad(a.Mad(-s, s, x), h, s); }
};

template <typename T>
std::vector<Step<T>> Roots() {
  using P = Pair<T>;
  return {
      KWKER_STEP("xr", { return static_cast<void>(a), x * r; }),
      KWKER_STEP("Newton", { return P::From(x, r).Newton(a, x); }),
      KWKER_STEP("Goldschmidt", { return P::From(x, r).Improved(a).s; }),
      KWKER_STEP("Goldschmidt, Newton", { return P::From(x, r).Improved(a).Newton(a, x); }),
      KWKER_STEP("Goldschmidt (s only), Newton",
                 {
                   const P pair = P::From(x, r);
                   return P{pair.Improved(a).s, pair.h}.Newton(a, x);
                 }),
      KWKER_STEP("2 Goldschmidt", { return P::From(x, r).Improved(a).Improved(a).s; }),
      KWKER_STEP("2 Goldschmidt, Newton",
                 { return P::From(x, r).Improved(a).Improved(a).Newton(a, x); }),
      KWKER_STEP("(s/2)(3-sr)", { return (T(0.5) * (x * r)) * a.Mad(-(x * r), r, 3); }),
      KWKER_STEP("s(1.5-s(r/2))", { return (x * r) * a.Mad(-(x * r), T(0.5) * r, T(1.5)); }),
      KWKER_STEP("e = 1-sr; s+(se)(1/2+3/8 e)",
                 {
                   const T s = x * r, e = a.Mad(-s, r, 1);
                   return a.Mad(s * e, a.Mad(T(0.375), e, T(0.5)), s);
                 }),
  };
}
#undef KWKER_STEP

template <typename T>
struct Form {
  Estimate<T> estimate;
  Arithmetic<T> arithmetic;
  Step<T> first, second, root;
  int wrong = 0;

  T operator()(T x) const {
    const T r = second.from(arithmetic, x, first.from(arithmetic, x, estimate.of(x)));
    return root.from(arithmetic, x, r);
  }
  std::string Words() const {
    return std::string(estimate.words) + (arithmetic.fused ? ", fused: " : ", not fused: ") +
           first.words + second.words + root.words;
  }
};

template <typename T>
std::vector<Form<T>> Forms() {
  std::vector<Form<T>> forms;
  const std::vector<Step<T>> refinements = Refinements<T>();
  for (const Estimate<T>& estimate : Estimates(T())) {
    if (!estimate.is_supported()) continue;
    for (const bool fused : {false, true}) {
      for (std::size_t first = 0; first < refinements.size(); ++first) {
        // The first of them does nothing, and is enough once.
        const std::size_t seconds = first == 0 ? 1 : refinements.size();
        for (std::size_t second = 0; second < seconds; ++second) {
          for (const Step<T>& root : Roots<T>()) {
            forms.push_back({estimate, {fused}, refinements[first], refinements[second], root});
          }
        }
      }
    }
  }
  return forms;
}

template <typename T, typename Root>
int Wrong(const Root& root, std::span<const T> x, std::span<const T> expected) {
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += root(x[i]) != expected[i];
  return wrong;
}

// The next numbers of [1, 4) to compare; float32: in order.
void Fill(std::int64_t block, std::mt19937_64*, std::span<float> x) {
  const auto base = static_cast<std::uint32_t>(0x3F800000 + block * std::ssize(x));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::bit_cast<float>(base + static_cast<std::uint32_t>(i));
  }
}
void Fill(std::int64_t, std::mt19937_64* random, std::span<double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t bits = (*random)();
    x[i] = std::bit_cast<double>((bits >> 12) | (std::uint64_t{0x3FF} + (bits & 1)) << 52);
    if (i % 16 != 0) continue;
    const double root = 1.0 + static_cast<double>((bits >> 2) % 0x3FFFFFF) * 0x1p-26;
    x[i] = std::nextafter(root * root, (bits & 2) != 0 ? 0.0 : 4.0);
  }
}

template <typename T>
void Search(Library<T> library, const char* name) {
  constexpr std::int64_t kBlock = 1 << 14, kBlocks = (1 << 24) / kBlock;
  std::mt19937_64 random(1);
  std::vector<T> x(kBlock), expected(kBlock);
  for (T& value : x) {
    value = static_cast<T>(1.0 + 3.0 * static_cast<double>(random() >> 11) * 0x1p-53);
  }
  library(kBlock, x.data(), expected.data(), kMode);

  std::vector<Form<T>> forms = Forms<T>();
  for (Form<T>& form : forms) form.wrong = Wrong<T>(form, x, expected);
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form<T>& a, const Form<T>& b) { return a.wrong < b.wrong; });
  const auto ieee = [](T value) { return std::sqrt(value); };
  std::printf("%s: %zu forms; correct rounding differs in %d of %d numbers\n", name, forms.size(),
              Wrong<T>(ieee, x, expected), static_cast<int>(kBlock));

  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < forms.size() && (i < kShown || forms[i].wrong == 0); ++i) {
    std::int64_t wrong = forms[i].wrong, compared = kBlock;
    for (std::int64_t block = 0; wrong == 0 && block < kBlocks; ++block) {
      Fill(block, &random, x);
      library(kBlock, x.data(), expected.data(), kMode);
      wrong += Wrong<T>(forms[i], x, expected);
      compared += kBlock;
    }
    std::printf("  %s of %lld: %s\n",
                wrong == 0 ? "EQUAL in all" : (std::to_string(wrong) + " differ").c_str(),
                static_cast<long long>(compared), forms[i].Words().c_str());
  }
}

int Main(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "sqrt_search: cannot load %s: %s\n", path, dlerror());
    return 2;
  }
  const auto float32 = reinterpret_cast<Library<float>>(dlsym(library, "vmsSqrt"));
  const auto float64 = reinterpret_cast<Library<double>>(dlsym(library, "vmdSqrt"));
  if (float32 == nullptr || float64 == nullptr) {
    std::fprintf(stderr, "sqrt_search: %s has no vmsSqrt and vmdSqrt; give another one\n", path);
    return 2;
  }
  Search(float32, "float32");
  Search(float64, "float64");
  return 0;
}

}  // namespace
}  // namespace kwker

int main(int argc, char** argv) {
  if (argc == 2) return kwker::Main(argv[1]);
  std::fprintf(stderr, "usage: sqrt_search LIBRARY, the path of torch/lib/libtorch_cpu.so\n");
  return 2;
}

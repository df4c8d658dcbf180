#include "audit/element_difference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kwker::audit {
namespace {

constexpr std::size_t kChunk = 1 << 16;  // bytes of each file in memory
constexpr std::size_t kLongestHeader = 1 << 20;

struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct Bytes1 {  // of which only equality is known: bool, float8
  std::uint8_t bits;
};

double ToDouble(Float16 value) {
  const int exponent = value.bits >> 10 & 31, fraction = value.bits & 1023;
  const double sign = value.bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}
double ToDouble(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}
double ToDouble(float value) { return value; }
double ToDouble(double value) { return value; }

template <class T>
constexpr bool kFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Floating-point numbers counted from zero: neighbours are one apart.
template <class T>
std::int64_t Rank(T value) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(T) - 1);
  const Bits bits = std::bit_cast<Bits>(value);
  const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Bits>(~kSign));
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

template <class T>
void AddDistance(T a, T b, ElementDifference* difference) {
  if constexpr (kFloating<T>) {
    const double x = ToDouble(a), y = ToDouble(b);
    if (std::isnan(x) != std::isnan(y)) ++difference->nans;
    if (std::isnan(x) || std::isnan(y)) return;
    const std::int64_t from = Rank(a), to = Rank(b);
    // No overflow: the ends are less than 2^64 apart.
    const auto ulps = static_cast<std::uint64_t>(std::max(from, to)) -
                      static_cast<std::uint64_t>(std::min(from, to));
    difference->largest = std::max(difference->largest.value_or(0), std::abs(x - y));
    difference->largest_ulps = std::max(difference->largest_ulps.value_or(0), ulps);
  } else if constexpr (std::is_integral_v<T>) {
    const double apart = std::abs(static_cast<double>(static_cast<long double>(a) - b));
    difference->largest = std::max(difference->largest.value_or(0), apart);
  }
}

template <class T>
bool IsNan(T value) {
  if constexpr (kFloating<T>) return std::isnan(ToDouble(value));
  return false;
}

// `parts` numbers make an element: two of a complex one.
template <class T, int parts = 1>
void CompareChunk(const char* left, const char* right, std::size_t bytes,
                  ElementDifference* difference) {
  for (std::size_t at = 0; at + parts * sizeof(T) <= bytes; at += parts * sizeof(T)) {
    bool differs = false;
    for (int part = 0; part < parts; ++part) {
      T a, b;
      std::memcpy(&a, left + at + part * sizeof(T), sizeof(T));
      std::memcpy(&b, right + at + part * sizeof(T), sizeof(T));
      if (std::memcmp(&a, &b, sizeof(T)) == 0 || (IsNan(a) && IsNan(b))) continue;
      differs = true;
      AddDistance(a, b, difference);
    }
    if (differs && difference->differing++ == 0) difference->first = difference->elements;
    ++difference->elements;
  }
}

using Comparer = void (*)(const char*, const char*, std::size_t, ElementDifference*);

struct Type {
  std::size_t size;
  Comparer compare;
};

const Type* FindType(const std::string& dtype) {
  static const std::map<std::string, Type, std::less<>> types = {
      {"float16", {2, CompareChunk<Float16>}},
      {"bfloat16", {2, CompareChunk<BFloat16>}},
      {"float32", {4, CompareChunk<float>}},
      {"float64", {8, CompareChunk<double>}},
      {"complex64", {8, CompareChunk<float, 2>}},
      {"complex128", {16, CompareChunk<double, 2>}},
      {"int8", {1, CompareChunk<std::int8_t>}},
      {"uint8", {1, CompareChunk<std::uint8_t>}},
      {"int16", {2, CompareChunk<std::int16_t>}},
      {"uint16", {2, CompareChunk<std::uint16_t>}},
      {"int32", {4, CompareChunk<std::int32_t>}},
      {"uint32", {4, CompareChunk<std::uint32_t>}},
      {"int64", {8, CompareChunk<std::int64_t>}},
      {"uint64", {8, CompareChunk<std::uint64_t>}},
      {"bool", {1, CompareChunk<Bytes1>}},
      {"float8_e4m3fn", {1, CompareChunk<Bytes1>}},
      {"float8_e5m2", {1, CompareChunk<Bytes1>}},
      {"float8_e4m3fnuz", {1, CompareChunk<Bytes1>}},
      {"float8_e5m2fnuz", {1, CompareChunk<Bytes1>}},
  };
  const auto found = types.find(dtype);
  return found == types.end() ? nullptr : &found->second;
}

struct Kept {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::size_t bytes = 0;
};

// The next header; absent at the end, or where the file is no such file.
std::optional<Kept> ReadHeader(std::ifstream& in) {
  std::string line;
  if (!std::getline(in, line) || line.size() > kLongestHeader) return std::nullopt;
  const auto header = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  try {
    return Kept{header.at("name").get<std::string>(), header.at("dtype").get<std::string>(),
                header.at("shape").get<std::vector<std::int64_t>>(),
                header.at("bytes").get<std::size_t>()};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// False: a file ends too early.
bool CompareElements(std::ifstream& left, std::ifstream& right, const Type& type, std::size_t bytes,
                     ElementDifference* difference) {
  std::vector<char> a(kChunk / type.size * type.size), b(a.size());
  while (bytes > 0) {
    const std::size_t chunk = std::min(bytes, a.size());
    const auto count = static_cast<std::streamsize>(chunk);
    if (!left.read(a.data(), count) || !right.read(b.data(), count)) return false;
    type.compare(a.data(), b.data(), chunk, difference);
    bytes -= chunk;
  }
  return true;
}

}  // namespace

std::optional<ElementDifference> CompareKept(const std::filesystem::path& left,
                                             const std::filesystem::path& right) {
  std::ifstream a(left, std::ios::binary), b(right, std::ios::binary);
  while (true) {
    const std::optional<Kept> x = ReadHeader(a), y = ReadHeader(b);
    if (!x || !y || x->name != y->name) return std::nullopt;
    const Type* type = FindType(x->dtype);
    if (type == nullptr || x->dtype != y->dtype || x->shape != y->shape || x->bytes != y->bytes) {
      return std::nullopt;
    }
    ElementDifference difference;
    difference.name = x->name;
    if (!CompareElements(a, b, *type, x->bytes, &difference)) return std::nullopt;
    if (difference.differing > 0) return difference;
  }
}

}  // namespace kwker::audit

// A digest of an array's elements by their bits, in which any NaN equals any
// other: torch itself gives other NaN payloads in vector bodies and in tails.
// Everything else counts, the sign of zero included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kwker {

// How elements are read, to find NaNs. A complex element is two floats.
enum class ElementKind {
  kBits8,               // no NaN among them: integers, bool; `count` is in bytes
  kFloat64,             // IEEE binary64
  kFloat32,             // IEEE binary32
  kFloat16,             // IEEE binary16
  kBFloat16,            // upper half of a binary32
  kFloat8E5M2,          // as binary16 cut to 8 bits: infinities, NaNs
  kFloat8E4M3Fn,        // NaN is all ones but the sign, no infinities
  kFloat8UnsignedZero,  // E4M3FNUZ, E5M2FNUZ: NaN is 0x80, no -0
  kFloat8E8M0,          // an exponent alone: NaN is 0xFF
};

// XXH3-128 of whatever is added, in order.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  // Text of known length, such as a dtype and a shape.
  void AddText(std::string_view text);
  // `count` elements from `data` on, of any alignment.
  void AddElements(ElementKind kind, const void* data, std::int64_t count);

  std::string Hex() const;  // 32 digits, the upper half first
  std::int64_t nans() const { return nans_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::int64_t nans_ = 0;
};

}  // namespace kwker

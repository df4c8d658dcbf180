#include "kernels/digest/digest.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kwker {
namespace {

constexpr std::int64_t kBlockBytes = 8192;

template <typename Word>
struct FloatFormat {
  Word magnitude;  // all bits but the sign
  Word infinity;   // larger magnitudes are NaNs
  Word nan;        // what they are counted as
};

constexpr FloatFormat<std::uint64_t> kBinary64 = {0x7FFFFFFFFFFFFFFF, 0x7FF0000000000000,
                                                  0x7FF8000000000000};
constexpr FloatFormat<std::uint32_t> kBinary32 = {0x7FFFFFFF, 0x7F800000, 0x7FC00000};
constexpr FloatFormat<std::uint16_t> kBinary16 = {0x7FFF, 0x7C00, 0x7E00};
constexpr FloatFormat<std::uint16_t> kBrain16 = {0x7FFF, 0x7F80, 0x7FC0};
constexpr FloatFormat<std::uint8_t> kE5M2 = {0x7F, 0x7C, 0x7E};
constexpr FloatFormat<std::uint8_t> kE4M3Fn = {0x7F, 0x7E, 0x7F};

}  // namespace

struct Digest::State {
  XXH3_state_t xxh3;

  void Add(const void* data, std::size_t bytes) { XXH3_128bits_update(&xxh3, data, bytes); }

  // Blocks that have NaNs are hashed from a copy in which all are alike.
  template <typename Word, typename IsNan>
  std::int64_t AddWords(const void* data, std::int64_t count, Word nan, const IsNan& is_nan) {
    constexpr std::int64_t kWords = kBlockBytes / static_cast<std::int64_t>(sizeof(Word));
    std::int64_t nans = 0;
    for (std::int64_t start = 0; start < count; start += kWords) {
      const std::int64_t n = std::min(kWords, count - start);
      const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(Word);
      const char* from = static_cast<const char*>(data) + start * std::int64_t{sizeof(Word)};
      alignas(64) Word block[kWords];
      std::memcpy(block, from, bytes);
      // In the word's own width, so that the loop becomes vector code; a block
      // has fewer words than overflow it, but for those of eight bits.
      std::int64_t found = 0;
      if constexpr (sizeof(Word) == 1) {
        for (std::int64_t i = 0; i < n; ++i) found += is_nan(block[i]);
      } else {
        Word narrow = 0;
        for (std::int64_t i = 0; i < n; ++i) narrow += is_nan(block[i]);
        found = static_cast<std::int64_t>(narrow);
      }
      if (found > 0) {
        for (std::int64_t i = 0; i < n; ++i) block[i] = is_nan(block[i]) ? nan : block[i];
        nans += found;
      }
      Add(block, bytes);
    }
    return nans;
  }

  template <typename Word>
  std::int64_t AddFloats(const void* data, std::int64_t count, const FloatFormat<Word>& format) {
    return AddWords<Word>(data, count, format.nan, [&format](Word word) -> Word {
      return static_cast<Word>(word & format.magnitude) > format.infinity;
    });
  }

  std::int64_t AddBytesWithNan(const void* data, std::int64_t count, std::uint8_t nan) {
    return AddWords<std::uint8_t>(data, count, nan,
                                  [nan](std::uint8_t word) -> std::uint8_t { return word == nan; });
  }
};

Digest::Digest() {
  // The state must be aligned to 64 bytes, which this type asks for by itself.
  state_ = std::make_unique<State>();
  XXH3_128bits_reset(&state_->xxh3);
}

Digest::~Digest() = default;

void Digest::AddText(std::string_view text) {
  const std::uint64_t size = text.size();
  state_->Add(&size, sizeof(size));
  state_->Add(text.data(), text.size());
}

void Digest::AddElements(ElementKind kind, const void* data, std::int64_t count) {
  switch (kind) {
    case ElementKind::kBits8:
      if (count > 0) state_->Add(data, static_cast<std::size_t>(count));
      return;
    case ElementKind::kFloat64:
      nans_ += state_->AddFloats(data, count, kBinary64);
      return;
    case ElementKind::kFloat32:
      nans_ += state_->AddFloats(data, count, kBinary32);
      return;
    case ElementKind::kFloat16:
      nans_ += state_->AddFloats(data, count, kBinary16);
      return;
    case ElementKind::kBFloat16:
      nans_ += state_->AddFloats(data, count, kBrain16);
      return;
    case ElementKind::kFloat8E5M2:
      nans_ += state_->AddFloats(data, count, kE5M2);
      return;
    case ElementKind::kFloat8E4M3Fn:
      nans_ += state_->AddFloats(data, count, kE4M3Fn);
      return;
    case ElementKind::kFloat8UnsignedZero:
      nans_ += state_->AddBytesWithNan(data, count, 0x80);
      return;
    case ElementKind::kFloat8E8M0:
      nans_ += state_->AddBytesWithNan(data, count, 0xFF);
      return;
  }
}

std::string Digest::Hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh3);
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace kwker

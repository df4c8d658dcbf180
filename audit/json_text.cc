#include "audit/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "audit/utf8.h"

namespace kwker::audit {
namespace {

constexpr std::string_view kMark = "\xEF\xB7\x90";  // U+FDD0 in UTF-8

// U+0080 .. U+00FF in UTF-8.
std::string Latin1(unsigned char byte) {
  return {static_cast<char>(0xC0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3F))};
}

// Every byte that is not part of valid UTF-8 as mark and Latin-1 character.
std::string MarkBytes(std::string_view bytes) {
  std::string marked;
  while (!bytes.empty()) {
    const std::size_t length = Utf8Length(bytes);
    if (length == 0) {
      marked += kMark;
      marked += Latin1(static_cast<unsigned char>(bytes[0]));
      bytes.remove_prefix(1);
    } else {
      marked += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return marked;
}

nlohmann::json Marked(const nlohmann::json& value) {
  if (value.is_string()) return MarkBytes(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  nlohmann::json copy = value.is_object() ? nlohmann::json::object() : nlohmann::json::array();
  for (const auto& [key, item] : value.items()) {
    if (value.is_object()) {
      copy[MarkBytes(key)] = Marked(item);
    } else {
      copy.push_back(Marked(item));
    }
  }
  return copy;
}

// The code unit of an escape "\uXXXX" at the start of `text`.
std::optional<unsigned> Escape(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(2, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      unit = unit * 16 + static_cast<unsigned>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      unit = unit * 16 + static_cast<unsigned>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return unit;
}

bool IsHighSurrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool IsLowSurrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

// Calls `on_escape(rest)` for each backslash, `rest` starting there. It appends
// what it likes to `out` and returns how many characters it took; 0: copy the
// escape as it is. Outside of strings valid JSON has no backslash.
template <class OnEscape>
std::string RewriteEscapes(std::string_view text, OnEscape on_escape) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t taken = on_escape(text, &out);
    if (taken == 0) {
      taken = std::min<std::size_t>(2, text.size());
      out += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace

std::string DumpWithBytes(const nlohmann::json& document) {
  const std::string marked = Marked(document).dump(2, ' ', /*ensure_ascii=*/true);
  return RewriteEscapes(marked, [](std::string_view text, std::string* out) -> std::size_t {
    if (Escape(text) != 0xFDD0u) return 0;
    const std::optional<unsigned> byte = Escape(text.substr(6));
    if (!byte || *byte < 0x80 || *byte > 0xFF) return 0;
    *out += fmt::format("\\udc{:02x}", *byte);
    return 12;
  });
}

Parsed<nlohmann::json> ParseWithBytes(std::string_view text) {
  const auto replace = [](std::string_view rest, std::string* out) -> std::size_t {
    const std::optional<unsigned> unit = Escape(rest);
    if (!unit || (!IsHighSurrogate(*unit) && !IsLowSurrogate(*unit))) return 0;
    if (IsHighSurrogate(*unit)) {
      const std::optional<unsigned> next = Escape(rest.substr(6));
      if (next && IsLowSurrogate(*next)) {
        *out += rest.substr(0, 12);
        return 12;
      }
    }
    if (*unit >= 0xDC80 && *unit <= 0xDCFF) {
      *out += fmt::format("\\ufdd0\\u{:04x}", *unit - 0xDC00);
    } else {
      *out += "\\ufffd";
    }
    return 6;
  };
  try {
    return Parsed<nlohmann::json>::Of(nlohmann::json::parse(RewriteEscapes(text, replace)));
  } catch (const nlohmann::json::parse_error& e) {
    return Parsed<nlohmann::json>::Error(fmt::format("is not JSON (near byte {})", e.byte));
  } catch (const nlohmann::json::exception&) {
    return Parsed<nlohmann::json>::Error("holds a number that is out of range");
  }
}

std::string Bytes(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find(kMark), text.size());
    bytes += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(kMark.size());
    const auto lead = static_cast<unsigned char>(text.empty() ? 0 : text[0]);
    if (text.size() >= 2 && (lead == 0xC2 || lead == 0xC3)) {
      bytes += static_cast<char>(((lead & 0x03) << 6) | (text[1] & 0x3F));
      text.remove_prefix(2);
    } else {
      bytes += kMark;
    }
  }
  return bytes;
}

}  // namespace kwker::audit

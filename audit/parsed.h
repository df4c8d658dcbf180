// A value that was read from text, or one line that says why it could not be.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace kwker::audit {

template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;  // empty exactly if there is a value

  static Parsed Of(T value) { return {std::move(value), ""}; }
  static Parsed Error(std::string why) { return {std::nullopt, std::move(why)}; }
  explicit operator bool() const { return value.has_value(); }
};

}  // namespace kwker::audit

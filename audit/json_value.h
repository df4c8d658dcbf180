// A JSON document of which nothing is taken on trust.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "audit/json_text.h"

namespace kwker::audit {

// What is wrong with a document. Never leaves the function that reads it.
struct Malformed {
  std::string why;
};

// A value of a document and where it stands in it, for the error.
class Value {
 public:
  Value(const nlohmann::json& value, std::string where) : value_(value), where_(std::move(where)) {}

  Value operator[](const char* key) const {
    Require(value_.is_object(), "an object");
    const auto found = value_.find(key);
    const std::string where = where_.empty() ? key : where_ + "." + key;
    if (found == value_.end()) throw Malformed{fmt::format("\"{}\" is missing", where)};
    return {*found, where};
  }

  bool Has(const char* key) const { return value_.is_object() && value_.contains(key); }

  bool IsNull() const { return value_.is_null(); }

  std::string Text() const {
    Require(value_.is_string(), "text");
    return Bytes(value_.get_ref<const std::string&>());
  }

  bool Bool() const {
    Require(value_.is_boolean(), "true or false");
    return value_.get<bool>();
  }

  double Number() const {
    Require(value_.is_number(), "a number");
    return value_.get<double>();
  }

  std::int64_t Integer() const {
    Require(value_.is_number_integer(), "a whole number");
    Require(!value_.is_number_unsigned() || value_.get<std::uint64_t>() <= kLargest,
            "a whole number of at most 63 bits");
    return value_.get<std::int64_t>();
  }

  std::int64_t Count() const {
    const std::int64_t count = Integer();
    Require(count >= 0, "a whole number, 0 or above");
    return count;
  }

  // What `read` makes of each element.
  template <class Read>
  auto List(Read read) const {
    Require(value_.is_array(), "a list");
    std::vector<decltype(read(*this))> list;
    list.reserve(value_.size());
    for (std::size_t i = 0; i < value_.size(); ++i) {
      list.push_back(read(Value(value_[i], fmt::format("{}[{}]", where_, i))));
    }
    return list;
  }

  std::vector<std::string> Texts() const {
    return List([](const Value& item) { return item.Text(); });
  }

  std::map<std::string, std::int64_t> Counts() const {
    Require(value_.is_object(), "an object");
    std::map<std::string, std::int64_t> counts;
    for (const auto& [key, count] : value_.items()) {
      counts[Bytes(key)] = Value(count, where_ + "." + key).Count();
    }
    return counts;
  }

  void Require(bool holds, const char* what) const {
    if (holds) return;
    throw Malformed{where_.empty() ? fmt::format("must be {}", what)
                                   : fmt::format("\"{}\" must be {}", where_, what)};
  }

 private:
  static constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();

  const nlohmann::json& value_;
  std::string where_;  // empty: the document itself
};

}  // namespace kwker::audit

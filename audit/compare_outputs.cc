#include "audit/compare_outputs.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace kwker::audit {
namespace {

// A name and which of its namesakes, by their order, is meant.
using Key = std::pair<std::string, int>;

std::map<Key, const Output*> Index(const std::vector<Output>& outputs, std::vector<Key>* order) {
  std::map<Key, const Output*> index;
  std::map<std::string, int> seen;
  for (const Output& output : outputs) {
    Key key{output.name, seen[output.name]++};
    index.emplace(key, &output);
    order->push_back(std::move(key));
  }
  return index;
}

std::string Shape(const Output& output) {
  return fmt::format("({})", fmt::join(output.shape, ", "));
}

// What differs, as Difference::what says it; empty if nothing does.
std::string Compare(const Output& left, const Output& right) {
  if (left.dtype != right.dtype) return fmt::format("dtype {}, {}", left.dtype, right.dtype);
  if (left.shape != right.shape) return fmt::format("shape {}, {}", Shape(left), Shape(right));
  if (left.nans != right.nans) return fmt::format("bits (NaNs: {}, {})", left.nans, right.nans);
  return left.digest != right.digest ? "bits" : "";
}

}  // namespace

std::optional<Difference> FirstDifference(const std::vector<Output>& left,
                                          const std::vector<Output>& right,
                                          const std::string& left_label,
                                          const std::string& right_label) {
  std::vector<Key> left_order, right_order;
  const auto left_index = Index(left, &left_order);
  const auto right_index = Index(right, &right_order);
  for (const Key& key : left_order) {
    const auto found = right_index.find(key);
    if (found == right_index.end()) return Difference{key.first, "only " + left_label};
    std::string what = Compare(*left_index.at(key), *found->second);
    if (!what.empty()) return Difference{key.first, std::move(what)};
  }
  for (const Key& key : right_order) {
    if (!left_index.contains(key)) return Difference{key.first, "only " + right_label};
  }
  return std::nullopt;
}

}  // namespace kwker::audit

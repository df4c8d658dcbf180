#include "audit/compare_outputs.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace kwker::audit {
namespace {

// A name and which of its namesakes, by their order, is meant.
using Key = std::pair<std::string, int>;

struct Index {
  explicit Index(const std::vector<Output>& outputs) {
    for (const Output& output : outputs) {
      Key key{output.name, times[output.name]++};
      by_key.emplace(key, &output);
      order.push_back(std::move(key));
    }
  }

  int Times(const std::string& name) const {
    const auto found = times.find(name);
    return found == times.end() ? 0 : found->second;
  }

  std::map<Key, const Output*> by_key;
  std::map<std::string, int> times;
  std::vector<Key> order;
};

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

// Calls back with each difference, in FirstDifference's order, until that returns false.
template <class Callback>
void ForEachDifference(const ChildResult& left, const ChildResult& right,
                       const std::string& left_label, const std::string& right_label,
                       Callback callback) {
  const Index left_index(left.outputs), right_index(right.outputs);
  const bool complete = left.incomplete.empty() && right.incomplete.empty();
  const auto comparable = [&](const std::string& name) {
    return complete || left_index.Times(name) == right_index.Times(name);
  };
  for (const Key& key : left_index.order) {
    if (!comparable(key.first)) continue;
    const auto found = right_index.by_key.find(key);
    std::string what = found == right_index.by_key.end()
                           ? "only " + left_label
                           : Compare(*left_index.by_key.at(key), *found->second);
    if (!what.empty() && !callback(Difference{key.first, std::move(what)})) return;
  }
  for (const Key& key : right_index.order) {
    if (!comparable(key.first) || left_index.by_key.contains(key)) continue;
    if (!callback(Difference{key.first, "only " + right_label})) return;
  }
}

}  // namespace

std::optional<Difference> FirstDifference(const ChildResult& left, const ChildResult& right,
                                          const std::string& left_label,
                                          const std::string& right_label) {
  std::optional<Difference> first;
  ForEachDifference(left, right, left_label, right_label, [&first](Difference difference) {
    first = std::move(difference);
    return false;
  });
  return first;
}

std::int64_t DifferingOutputs(const ChildResult& left, const ChildResult& right) {
  std::int64_t count = 0;
  ForEachDifference(left, right, "", "", [&count](const Difference&) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace kwker::audit

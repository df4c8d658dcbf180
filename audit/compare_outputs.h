// Two runs' outputs, held against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/run.h"

namespace kwker::audit {

struct Difference {
  std::string name;  // of the output
  // "bits" (same type and shape, other elements), "dtype float32, float64",
  // "shape (2, 3), (2, 4)", "only without Kwker", "only with Kwker", ...
  std::string what;

  bool operator==(const Difference&) const = default;
};

// The first output of `left`, in its order, that `right` does not have alike;
// then the first that only `right` has. Outputs are matched by name, several of
// one name by their order. The labels say in words which run each side is.
//
// Where a run's outputs are incomplete, one that is missing in it proves nothing:
// names that the two do not have equally often are passed over.
std::optional<Difference> FirstDifference(const ChildResult& left, const ChildResult& right,
                                          const std::string& left_label,
                                          const std::string& right_label);

// How many outputs the two do not have alike, by the same rules.
std::int64_t DifferingOutputs(const ChildResult& left, const ChildResult& right);

}  // namespace kwker::audit

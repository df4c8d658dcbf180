// How far apart the values of an output are, that two runs kept in files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace kwker::audit {

struct ElementDifference {
  std::string name;  // of the output, or the first that differs of those kept
  std::int64_t elements = 0;
  std::int64_t differing = 0;  // by their bits; a NaN is like any other
  std::int64_t first = 0;      // index of the first that differs, in logical order
  // The largest difference; infinite where one is infinite. Absent: of those that
  // differ none are two numbers, or they are of a type without arithmetic here.
  std::optional<double> largest;
  // The same in steps from one floating-point number to the next.
  std::optional<std::uint64_t> largest_ulps;
  std::int64_t nans = 0;  // of those that differ: a NaN on one side only

  bool operator==(const ElementDifference&) const = default;
};

// A file holds one value after the other: a line of JSON,
//   {"name": "backward[3]", "dtype": "float32", "shape": [2, 3], "bytes": 24}
// and so many bytes, the elements in logical order as the machine keeps them.
//
// Finds the first value that differs. Absent: there is none that both files have,
// with one type and one shape.
std::optional<ElementDifference> CompareKept(const std::filesystem::path& left,
                                             const std::filesystem::path& right);

}  // namespace kwker::audit

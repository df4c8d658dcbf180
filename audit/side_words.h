// What the two sides of an audit are called.
#pragma once

#include <string>

namespace kwker::audit {

struct SideWords {
  std::string a = "without", b = "with";                        // as heads of columns
  std::string runs_a = "without Kwker", runs_b = "with Kwker";  // "3 runs ..."
  std::string its_a = "without it";  // the same as runs_a, after runs_b in a sentence

  bool operator==(const SideWords&) const = default;
};

// Of sides that differ in something else (--a, --b).
inline SideWords WordsOfAnySides() { return {"A", "B", "as A", "as B", "as A"}; }

}  // namespace kwker::audit

#include "audit/bisection.h"

#include <utility>

namespace kwker::audit {
namespace {

using Names = std::vector<std::string>;

// The first of `names` with which, and all before it, there is a difference; there
// is one with all of them, and none with none. Absent: a run could not tell.
std::optional<std::size_t> FirstGuilty(const Names& names, std::size_t likely,
                                       const DiffersWith& differs) {
  std::size_t innocent = 0, guilty = names.size();  // so many from the front
  bool first = likely > 0 && likely < names.size();
  while (guilty - innocent > 1) {
    const std::size_t middle =
        std::exchange(first, false) ? likely : innocent + (guilty - innocent) / 2;
    const auto front = names.begin() + static_cast<std::ptrdiff_t>(middle);
    const std::optional<bool> differ = differs(Names(names.begin(), front));
    if (!differ) return std::nullopt;
    (*differ ? guilty : innocent) = middle;
  }
  return guilty - 1;
}

}  // namespace

std::string_view Name(SearchEnd end) {
  switch (end) {
    case SearchEnd::kFeatures:
      return "features";
    case SearchEnd::kNotFeatures:
      return "not features";
    case SearchEnd::kMany:
      return "many";
    case SearchEnd::kUnfinished:
      break;
  }
  return "unfinished";
}

Culprits FindCulprits(const Names& suspects, std::size_t likely, const DiffersWith& differs) {
  Culprits culprits;
  const std::optional<bool> without_all = differs({});
  if (!without_all) return culprits;
  // Where nothing is on there is nothing to be left out.
  if (*without_all || suspects.empty()) {
    culprits.end = SearchEnd::kNotFeatures;
    return culprits;
  }
  Names rest = suspects;
  while (culprits.features.size() < kMostCulprits) {
    const std::optional<std::size_t> guilty = FirstGuilty(rest, likely, differs);
    if (!guilty) return culprits;
    culprits.features.push_back(rest[*guilty]);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*guilty));
    if (*guilty < likely) --likely;
    // Nothing left is what was tried at first.
    const std::optional<bool> still = rest.empty() ? std::optional(false) : differs(rest);
    if (!still) return culprits;
    if (!*still) {
      culprits.end = SearchEnd::kFeatures;
      return culprits;
    }
  }
  culprits.end = SearchEnd::kMany;
  return culprits;
}

}  // namespace kwker::audit

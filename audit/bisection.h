// Which of some features make a difference, found by leaving them out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kwker::audit {

// Whether a run with these features on, and no others, differs from those without
// Kwker; absent: it cannot be told, and the search is over.
using DiffersWith = std::function<std::optional<bool>(const std::vector<std::string>& on)>;

enum class SearchEnd {
  kFeatures,     // without those found nothing differs
  kNotFeatures,  // it differs with all of them off, too
  kMany,         // several are found, and it differs without these as well
  kUnfinished,   // a run could not tell
};

// "features", "not features", "many", "unfinished".
std::string_view Name(SearchEnd end);

struct Culprits {
  SearchEnd end = SearchEnd::kUnfinished;
  std::vector<std::string> features;
};

inline constexpr std::size_t kMostCulprits = 3;

// `suspects` are the features that are on in the runs that differ. The first
// `likely` of them are tried first: with one that is likely and guilty it takes
// three runs.
Culprits FindCulprits(const std::vector<std::string>& suspects, std::size_t likely,
                      const DiffersWith& differs);

}  // namespace kwker::audit

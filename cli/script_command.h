// What follows "--": the user's script as `python` would be given it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kwker::cli {

struct ScriptCommand {
  std::vector<std::string> words;  // SCRIPT ARG..., -m MODULE ARG... or -c CODE ARG...
  std::string path;                // of SCRIPT, absolute; empty with -m and -c
};

// Splits at the first "--": the words before it, and those after it.
std::pair<std::vector<std::string>, std::vector<std::string>> SplitAtDashes(
    const std::vector<std::string>& words);

// Throws UsageError: no words, no such script, -m or -c without what they need,
// another option of Python's. `usage` is shown where words are missing: "kwker
// audit [options] -- SCRIPT [ARG...]".
ScriptCommand ParseScriptCommand(std::vector<std::string> words, const std::string& usage);

}  // namespace kwker::cli

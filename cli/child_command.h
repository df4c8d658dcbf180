// The hidden `kwker _child REQUEST.json EXECUTABLE LIBPYTHON`: one run of an audit.
#pragma once

#include <string>
#include <vector>

namespace kwker::cli {

inline constexpr char kChildCommand[] = "_child";

// `words` are those after "_child". Returns the script's exit status.
int RunChildCommand(const std::vector<std::string>& words);

}  // namespace kwker::cli

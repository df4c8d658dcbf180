#include "cli/script_command.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/usage_error.h"

namespace fs = std::filesystem;

namespace kwker::cli {

std::pair<std::vector<std::string>, std::vector<std::string>> SplitAtDashes(
    const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  return {{words.begin(), dashes}, {dashes == words.end() ? dashes : dashes + 1, words.end()}};
}

ScriptCommand ParseScriptCommand(std::vector<std::string> words, const std::string& usage) {
  if (words.empty()) throw UsageError("no script: " + usage);
  ScriptCommand command;
  const std::string& first = words.front();
  if (first == "-m" || first == "-c") {
    if (words.size() < 2) {
      throw UsageError(first + (first == "-m" ? " needs a module" : " needs Python code") +
                       " after it");
    }
  } else if (first.empty() || first.front() == '-') {
    throw UsageError("'" + first +
                     "' where the script should be: of Python's options only -m and "
                     "-c are taken here (for others use PYTHONUNBUFFERED, PYTHONWARNINGS, ...)");
  } else {
    if (access(first.c_str(), R_OK) != 0) {
      throw UsageError(errno == ENOENT ? "no such script: " + first
                                       : "cannot read " + first + ": " + std::strerror(errno));
    }
    std::error_code error;
    command.path = fs::absolute(first, error).lexically_normal().string();
  }
  command.words = std::move(words);
  return command;
}

}  // namespace kwker::cli

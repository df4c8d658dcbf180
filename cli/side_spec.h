// --a and --b: what one side of an audit is.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kwker::cli {

// A comma list of
//   kwker=off, kwker=on or kwker=FEATURE+FEATURE...
//   env:NAME=VALUE     another environment variable
//   args:"--x 1"       words after the script's own
//   python:PATH        another Python
//   threads:N          OMP_NUM_THREADS and MKL_NUM_THREADS
// Values with commas or blanks stand in double quotes, \" and \\ in them for
// themselves; words of args are split at blanks, and '...' or \"...\" hold one.
struct SideSpec {
  std::optional<bool> install;
  std::optional<std::vector<std::string>> features;
  std::map<std::string, std::string> environment;
  std::vector<std::string> args;
  std::string python;  // empty: the same as the other side's
};

// `option` is named in the error: "--a". Throws UsageError.
SideSpec ParseSideSpec(const std::string& text, const std::string& option);

}  // namespace kwker::cli

#pragma once

#include <stdexcept>

namespace kwker::cli {

// The command line asks for something that cannot be: exit code 2. what() is one
// line for people.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace kwker::cli

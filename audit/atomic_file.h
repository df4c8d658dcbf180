// Files that are there whole or not at all.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace kwker::audit {

// what() is one line for people: which file, what is wrong, what to do.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes a file beside `path` and renames it over it. A symbolic link is
// followed; what is no regular file (/dev/stdout, a pipe) is written to as it
// is. Throws FileError; a file that was there before is then as it was.
void WriteAtomically(const std::string& path, std::string_view content);

// Throws FileError if WriteAtomically(path, ...) could not work: no such folder,
// no permission, a folder of that name. Leaves no trace. For asking before hours
// of work. "-" is stdout and always fine.
void CheckWritable(const std::string& path);

}  // namespace kwker::audit

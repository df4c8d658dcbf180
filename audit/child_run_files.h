// The files of a run: its folder, and what the script printed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

namespace kwker::audit {

// A new folder for temporary files, removed with the object. Throws RunError.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// 32 hexadecimal digits: XXH3-128 of the file's bytes; empty: it cannot be read.
std::string DigestFile(const std::filesystem::path& file);

// Its last lines: at most `lines` of them and `bytes` in all, without the newline
// at the end.
std::string Tail(const std::filesystem::path& file, int lines, std::size_t bytes);

// Its text; empty: it cannot be read.
std::string ReadFile(const std::filesystem::path& file);

// Whether `bytes` more can be written to a file in `folder`: false only where the
// disk, or the user's share of it, is full.
bool HasRoom(const std::filesystem::path& folder, std::size_t bytes);

// Copies what is appended to a file, piece by piece.
class Follower {
 public:
  Follower(const std::filesystem::path& file, std::ostream& to) : from_(file), to_(to) {}
  void CopyNew();

 private:
  std::ifstream from_;
  std::ostream& to_;
};

}  // namespace kwker::audit

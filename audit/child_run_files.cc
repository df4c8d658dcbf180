#include "audit/child_run_files.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "audit/run.h"
#include "audit/working_copy.h"

namespace fs = std::filesystem;

namespace kwker::audit {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  base = fs::absolute(base, error);  // runs may be in another folder
  std::string name = (base / "kwker-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw RunError("cannot make a folder in " + base.string() + " (" + std::strerror(errno) +
                   "): set TMPDIR to one with room");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() { RemoveFolder(path_); }

std::string DigestFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return "";
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) return "";
  XXH3_128bits_reset(state.get());
  std::vector<char> buffer(1 << 16);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    XXH3_128bits_update(state.get(), buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof()) return "";
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  char digits[33];
  std::snprintf(digits, sizeof(digits), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

std::string Tail(const fs::path& file, int lines, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return "";
  const auto size = static_cast<std::size_t>(in.tellg());
  const std::size_t start = size - std::min(size, bytes);
  in.seekg(static_cast<std::streamoff>(start));
  std::string text(std::istreambuf_iterator<char>(in), {});
  // It starts in the middle of a line.
  if (const auto newline = text.find('\n'); start > 0 && newline + 1 < text.size()) {
    text.erase(0, newline + 1);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  auto from = text.size();
  for (int line = 0; line < lines && from != std::string::npos; ++line) {
    from = from == 0 ? std::string::npos : text.rfind('\n', from - 1);
  }
  return from == std::string::npos ? text : text.substr(from + 1);
}

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool HasRoom(const fs::path& folder, std::size_t bytes) {
  // Asking statvfs would miss quotas, and what is kept for the superuser.
  std::string name = (folder / "room-XXXXXX").string();
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return errno != ENOSPC && errno != EDQUOT;
  const std::vector<char> zeros(1 << 16);
  int error = 0;
  while (bytes > 0 && error == 0) {
    const ssize_t written = write(file, zeros.data(), std::min(bytes, zeros.size()));
    if (written > 0) {
      bytes -= static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (close(file) != 0 && error == 0) error = errno;
  unlink(name.c_str());
  return error != ENOSPC && error != EDQUOT;
}

void Follower::CopyNew() {
  char buffer[4096];
  while (true) {
    from_.read(buffer, sizeof(buffer));
    to_.write(buffer, from_.gcount());
    if (!from_) break;
  }
  from_.clear();  // its end is only where it ends so far
  to_.flush();
}

}  // namespace kwker::audit

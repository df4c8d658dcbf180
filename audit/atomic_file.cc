#include "audit/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace kwker::audit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Fail(const std::string& path, int error) {
  std::string advice;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      advice = "its folder does not exist; make it first";
      break;
    case EACCES:
    case EPERM:
    case EROFS:
      advice = "no permission; name a file in a folder of yours";
      break;
    case EISDIR:
      advice = "it is a folder; name a file";
      break;
    case ENOSPC:
    case EDQUOT:
      advice = "the disk is full; make room or name another disk";
      break;
    default:
      advice = strerrordesc_np(error) != nullptr ? strerrordesc_np(error) : "unknown error";
  }
  throw FileError(fmt::format("cannot write {}: {}", path.empty() ? "''" : path, advice));
}

// Where the file really is, or is to be: symbolic links are followed, also one
// that leads to nothing yet.
std::string Target(const std::string& path) {
  fs::path target = path;
  std::error_code error;
  for (int hops = 0; hops < 40 && fs::is_symlink(target, error); ++hops) {
    const fs::path link = fs::read_symlink(target, error);
    if (error) break;
    target = link.is_absolute() ? link : target.parent_path() / link;
  }
  return target.string();
}

bool IsThere(const std::string& path, struct stat* status) {
  return stat(path.c_str(), status) == 0;
}

bool NamesFolder(const std::string& path, bool there, const struct stat& status) {
  return path.empty() || path.ends_with('/') || (there && S_ISDIR(status.st_mode));
}

// An open file that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // Some file systems say only here that the disk is full.
  int Close() {
    const int closed = close(fd_);
    fd_ = -1;
    return closed;
  }

 private:
  int fd_;
};

// errno of the first failure, or 0.
int WriteAll(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void WriteThrough(const std::string& path, std::string_view content) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) Fail(path, errno);
  if (const int error = WriteAll(file.get(), content)) Fail(path, error);
}

std::string Template(const std::string& target) { return target + ".XXXXXX"; }

}  // namespace

void WriteAtomically(const std::string& path, std::string_view content) {
  const std::string target = Target(path);
  struct stat status{};
  const bool there = IsThere(target, &status);
  if (NamesFolder(path, there, status)) Fail(path, EISDIR);
  if (there && !S_ISREG(status.st_mode)) return WriteThrough(target, content);

  std::string beside = Template(target);
  Descriptor file(mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) Fail(path, errno);
  // mkostemp's 0600 would lock others out: what the umask allows, or as it was.
  const mode_t mask = umask(0);
  umask(mask);
  int error = fchmod(file.get(), there ? status.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
  if (error == 0) error = WriteAll(file.get(), content);
  if (file.Close() != 0 && error == 0) error = errno;
  if (error == 0 && rename(beside.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(beside.c_str());
    Fail(path, error);
  }
}

void CheckWritable(const std::string& path) {
  if (path == "-") return;
  const std::string target = Target(path);
  struct stat status{};
  const bool there = IsThere(target, &status);
  if (NamesFolder(path, there, status)) Fail(path, EISDIR);
  if (there && access(target.c_str(), W_OK) != 0) Fail(path, errno);
  if (there && !S_ISREG(status.st_mode)) return;
  std::string beside = Template(target);
  const Descriptor file(mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) Fail(path, errno);
  unlink(beside.c_str());
}

}  // namespace kwker::audit

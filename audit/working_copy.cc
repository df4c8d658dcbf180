#include "audit/working_copy.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "audit/run.h"

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

class Copier {
 public:
  Copier(const fs::path& from, const fs::path& to, const fs::path& except)
      : from_(from), to_(to), except_(fs::weakly_canonical(except)) {}

  // `inside`: relative to both; empty for the whole.
  void Folder(const fs::path& inside) {
    const fs::path source = from_ / inside, copy = to_ / inside;
    fs::create_directory(copy);
    for (const fs::directory_entry& entry : fs::directory_iterator(source)) {
      Entry(entry, inside / entry.path().filename());
    }
    fs::permissions(copy, fs::status(source).permissions());
    fs::last_write_time(copy, fs::last_write_time(source));
  }

 private:
  void Entry(const fs::directory_entry& entry, const fs::path& inside) {
    const fs::path copy = to_ / inside;
    if (entry.is_symlink()) {
      fs::create_symlink(Target(entry.path(), copy), copy);
    } else if (entry.is_directory()) {
      if (fs::exists(entry.path() / "pyvenv.cfg")) {
        fs::create_directory_symlink(entry.path(), copy);
      } else if (fs::weakly_canonical(entry.path()) != except_) {
        Folder(inside);
      }
    } else if (entry.is_regular_file()) {
      fs::copy_file(entry.path(), copy);
      fs::last_write_time(copy, entry.last_write_time());
    }
  }

  fs::path Target(const fs::path& link, const fs::path& copy) const {
    const fs::path target = fs::read_symlink(link);
    const fs::path full = (link.parent_path() / target).lexically_normal();
    const fs::path inside = full.lexically_relative(from_);
    if (inside.empty() || *inside.begin() == "..") return full;
    return target.is_relative() ? target : (to_ / inside).lexically_relative(copy.parent_path());
  }

  const fs::path from_, to_, except_;
};

// So that remove_all can remove what is in it.
void MakeWritable(const fs::path& folder) {
  std::error_code error;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_symlink(error) && entry.is_directory(error)) MakeWritable(entry.path());
  }
}

}  // namespace

void CopyFolder(const fs::path& from, const fs::path& to, const fs::path& except) {
  try {
    Copier(from.lexically_normal(), to, except).Folder("");
  } catch (const fs::filesystem_error& e) {
    const bool full = e.code() == std::errc::no_space_on_device;
    throw RunError(
        fmt::format("--isolate cannot copy {}: {}{}", e.path1().string(), e.code().message(),
                    full ? " (set TMPDIR to a folder with room for a copy of this one)" : ""));
  }
}

void RemoveFolder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return;
  MakeWritable(folder);
  fs::remove_all(folder, error);
}

}  // namespace kwker::audit

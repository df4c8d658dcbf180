#include "cli/runfiles.h"

#include <cstdlib>
#include <string>

namespace fs = std::filesystem;

namespace kwker::cli {

void UseRunfiles(const fs::path& self) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (folder == nullptr) return;
  const fs::path package = self.string() + ".runfiles/kwker/pyext";
  std::error_code error;
  if (!fs::exists(package, error)) return;
  const char* old = std::getenv("PYTHONPATH");
  const std::string path = package.string() + (old != nullptr ? ":" + std::string(old) : "");
  setenv("PYTHONPATH", path.c_str(), 1);
  fs::current_path(folder, error);
  // It is no part of what the script's own children should see.
  unsetenv("BUILD_WORKING_DIRECTORY");
}

}  // namespace kwker::cli

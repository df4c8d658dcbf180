#pragma once

#include <filesystem>

namespace kwker::cli {

// Under `bazel run`: back to the folder in which it was typed, and, where Kwker
// is not installed from a wheel, the Python package that was built with it.
void UseRunfiles(const std::filesystem::path& self);

}  // namespace kwker::cli

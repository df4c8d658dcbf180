// What the subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "audit/python_install.h"

namespace kwker::cli {

struct Invocation {
  std::filesystem::path self;             // this program's own file
  std::vector<std::string> script_words;  // after the first "--"
  std::vector<int> closed_streams;        // of 0 to 2, at start; /dev/null is there now
};

// The text that --help starts with.
void SetUsage(CLI::App& app, const std::string& usage);

// A number above 0.
CLI::Validator AboveZero();

// A whole number, `low` and `high` included.
CLI::Validator WholeNumber(std::int64_t low, std::int64_t high);

// --features.
void AddFeaturesOption(CLI::App& app, std::optional<std::vector<std::string>>& features);

// --python, also from KWKER_PYTHON.
void AddPythonOption(CLI::App& app, std::string& wanted);

// Finds that Python, asks it and checks it: PythonError if the kernels cannot
// work there.
audit::PythonInstall UsePython(const std::string& wanted, const std::filesystem::path& self);

}  // namespace kwker::cli

// Python in this process.
#pragma once

#include <string>
#include <vector>

namespace kwker::cli {

// Turns this process into the program words[0], a path, with these words as its
// argv. Throws UsageError if it cannot be run.
[[noreturn]] void Become(std::vector<std::string> words);

// Runs `command` (what follows "python") in this process as `executable` would.
// Before the script, once Python is up, calls kwker._child.`function`(`argument`),
// without the argument if it is empty. `libpython` is that Python's shared
// library, opened here. Returns the exit status; where the script dies by a
// signal, so does this process.
//
// If the library cannot be opened, `instead` (a command line, its first item a
// path) takes this process over.
int RunEmbedded(const std::string& executable, const std::string& libpython,
                std::vector<std::string> command, const char* function, const std::string& argument,
                std::vector<std::string> instead);

}  // namespace kwker::cli

// What an audit is about, known before its first run: the script, the options,
// the machine. The caller fills it in; it goes into every report.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/gates.h"
#include "audit/machine.h"
#include "audit/side_words.h"

namespace kwker::audit {

struct Options {
  int pairs = 5;                 // >= 1; with max_pairs: at least so many
  std::optional<int> max_pairs;  // absent: `pairs` is their number
  // With max_pairs: the interval is narrow enough when its upper end is at most
  // this share above its lower one.
  double width = 0.05;
  std::optional<double> max_time_s;  // a pair that would end after it is not begun
  int warmup = 1;                    // uncounted runs of each side, >= 0
  std::optional<std::int64_t> seed;
  std::optional<double> timeout_s;                   // of each run
  bool isolate = false;                              // each in its own copy of the folder
  std::optional<std::vector<std::string>> features;  // --features; absent: all
  Gates gates;
};

struct Versions {
  std::string kwker;
  std::string python;         // "3.11.7"
  std::string torch_package;  // of the installed package, found without importing it
};

// The Python of one side, which --a and --b may choose.
struct SidePython {
  std::string executable;
  std::string version;
  std::string torch_package;
};

struct Setup {
  std::vector<std::string> command;  // the script's: {"train.py", "--epochs", "1"}
  std::string script_path;           // absolute; empty with -c and -m
  std::string script_digest;         // "xxh3-128:" and 32 hexadecimal digits; empty if unknown
  std::string working_directory;
  std::string python;    // path of the interpreter
  bool embedded = true;  // false: a side's has no shared libpython, so it ran as a program
  // Variables that were set and change what runs with Kwker do: KWKER_DISABLE,
  // KWKER_VERIFY, and KWKER_FEATURES unless options.features takes its place.
  std::map<std::string, std::string> kwker_environment;
  std::string started;  // "2026-01-31T12:00:00Z"
  Options options;
  SideWords words;
  std::string spec_a, spec_b;  // of --a and --b; both empty without them
  SidePython python_a, python_b;
  bool kwker_in_b = true;  // whether side B is with Kwker
  Versions versions;
  Machine machine;
};

}  // namespace kwker::audit

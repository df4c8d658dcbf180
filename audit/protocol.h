// The two JSON documents between the program and its child process. The program
// writes REQUEST.json; the child's C++ part and kwker/_child.py read it. The
// Python part writes RESULT.json when the script has ended. Both carry
// "protocol": a child of another version is told apart from a broken one.
//
// REQUEST.json:
//   {"protocol": 1, "command": ["train.py", "--epochs", "1"], "install": true,
//    "features": null | ["optim.adamw", ...], "seed": null | 0, "record": true,
//    "keep": null | {"name": "backward[3]", "file": "/absolute/KEPT"},
//    "result": "/absolute/RESULT.json"}
// RESULT.json:
//   {"protocol": 1,
//    "script": {"wall_s": .., "cpu_user_s": .., "cpu_sys_s": .., "overhead_s": ..,
//               "install_s": .., "digest_s": ..},
//    "torch": null | {"version": "2.13.0+cpu", "capability": "AVX512", "threads": 2},
//    "features": [{"name": .., "state": .., "calls": 0, "fallbacks": {"reason": 0}}],
//    "outputs": [{"name": .., "dtype": .., "shape": [..], "bytes": 0, "nans": 0, "digest": ..}],
//    "warnings": [".."], "incomplete": [".."]}
// Members that a reader does not know are ignored; those above are all required
// but "keep" (absent: null), the output whose values are wanted and the file they go
// to (audit/element_difference.h), and "incomplete" (absent: empty), short reasons why
// something that counts as an output could not be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/parsed.h"
#include "audit/run.h"

namespace kwker::audit {

inline constexpr int kProtocolVersion = 1;

struct KeepRequest {
  std::string name;  // of the output
  std::string file;  // absolute path

  bool operator==(const KeepRequest&) const = default;
};

struct ChildRequest {
  std::vector<std::string> command;  // what follows "python": SCRIPT ARGS, -m MODULE ARGS, -c CODE
  bool install = false;              // install the kernels before the script starts
  std::optional<std::vector<std::string>> features;  // only these; absent: all
  std::optional<std::int64_t> seed;  // of Python's random, NumPy and torch; absent: leave them
  bool record = true;                // collect outputs and their digests
  std::string result;                // absolute path that RESULT.json is to have
  std::optional<KeepRequest> keep = {};
};

// The document as UTF-8 text. Bytes of `command` that are not UTF-8 are kept the
// way Python keeps them (surrogateescape): "\udcXX".
std::string SerializeRequest(const ChildRequest& request);

// Never throw; the error is one line that starts with the document's name.
Parsed<ChildRequest> ParseRequest(std::string_view text);
Parsed<ChildResult> ParseResult(std::string_view text);

}  // namespace kwker::audit

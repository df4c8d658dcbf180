// What a person sees while an audit runs.
#pragma once

#include <cstdio>
#include <memory>

#include "audit/run.h"
#include "audit/side_words.h"

namespace kwker::audit {

class Progress {
 public:
  virtual ~Progress() = default;
  // `index` of `total` runs, counted from 0, is about to start.
  virtual void RunStarts(const RunRequest& request, int index, int total) = 0;
  virtual void RunEnded(const RunOutcome& outcome) = 0;
  // No more runs: leaves the terminal clean. May be called again.
  virtual void Finish() = 0;
};

struct ProgressStyle {
  bool live = false;    // a terminal: one line, rewritten once a second
  bool colour = false;  // only with `live`
  bool unicode = true;  // else plain ASCII
  int width = 80;       // columns of that terminal
  SideWords words;
};

// Writes to `stream` (stderr), which it does not own. A live line is rewritten
// by a thread of its own, which takes no signals and ends with the object.
std::unique_ptr<Progress> MakeProgress(std::FILE* stream, const ProgressStyle& style);

}  // namespace kwker::audit

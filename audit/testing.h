// Audits and runs made up for tests.
#pragma once

#include <string>
#include <vector>

#include "audit/report.h"
#include "audit/run.h"
#include "audit/setup.h"

namespace kwker::audit::testing {

// A float32 output of shape (2, 3); `bits` stands for what its digest is of.
Output MakeOutput(const std::string& name, int bits = 0);

// A run that ended well, took `wall_s` and left two outputs, printing "hello".
// The side with Kwker has one feature, called 240 times.
RunOutcome MakeRun(const RunRequest& request, double wall_s);

// An audit of `pairs` pairs of a script, one warm-up.
Setup MakeSetup(int pairs = 5);

// The runs of such an audit: 8 s without Kwker and 8 s / ratio with, give or
// take up to `noise` (a share), the same at every call.
std::vector<RunOutcome> MakeRuns(const Setup& setup, double ratio, double noise = 0.02);

}  // namespace kwker::audit::testing

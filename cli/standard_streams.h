// stdin, stdout and stderr.
#pragma once

#include <vector>

namespace kwker::cli {

// Opens /dev/null on those descriptors 0 to 2 that are closed (`kwker ... >&-`),
// so that no file or pipe that is opened later gets their number. Returns them.
std::vector<int> OpenClosedStreams();

}  // namespace kwker::cli

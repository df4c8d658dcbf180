#include "cli/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kwker::cli {

std::vector<int> OpenClosedStreams() {
  std::vector<int> opened;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number: those below it are open by now.
    if (open("/dev/null", O_RDWR) == stream) opened.push_back(stream);
  }
  return opened;
}

}  // namespace kwker::cli

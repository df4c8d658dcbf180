#include "cli/child_command.h"

#include <signal.h>
#include <sys/prctl.h>

#include "audit/child_run_files.h"
#include "audit/protocol.h"
#include "cli/embed.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

// For a Python without libpython. Not -m: the folder this is called in must not
// be in front of the packages.
constexpr char kStart[] = R"(
import sys
if not getattr(sys.flags, 'safe_path', False):
    del sys.path[0]
from kwker import _child
_child.start(sys.argv[1])
)";

}  // namespace

int RunChildCommand(const std::vector<std::string>& words) {
  // Where the audit itself is killed, so are its runs.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (words.size() != 3) throw UsageError("_child is for kwker's own use");
  const std::string &request = words[0], &executable = words[1], &libpython = words[2];
  auto parsed = audit::ParseRequest(audit::ReadFile(request));
  if (!parsed) throw UsageError(parsed.error);
  return RunEmbedded(executable, libpython, parsed.value->command, "begin", request,
                     {executable, "-c", kStart, request});
}

}  // namespace kwker::cli

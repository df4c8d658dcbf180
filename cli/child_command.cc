#include "cli/child_command.h"

#include <signal.h>
#include <sys/prctl.h>

#include "audit/child_run_files.h"
#include "audit/protocol.h"
#include "cli/embed.h"
#include "cli/usage_error.h"

namespace kwker::cli {

int RunChildCommand(const std::vector<std::string>& words) {
  // Where the audit itself is killed, so are its runs.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (words.size() != 3) throw UsageError("_child is for kwker's own use");
  const std::string &request = words[0], &executable = words[1], &libpython = words[2];
  auto parsed = audit::ParseRequest(audit::ReadFile(request));
  if (!parsed) throw UsageError(parsed.error);
  return RunEmbedded(executable, libpython, parsed.value->command, "begin", request,
                     {executable, "-m", "kwker._child", request});
}

}  // namespace kwker::cli

// kwker: runs a user's script with and without Kwker's kernels.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "audit/atomic_file.h"
#include "audit/gates.h"
#include "audit/python_install.h"
#include "audit/run.h"
#include "cli/audit_command.h"
#include "cli/child_command.h"
#include "cli/compare_command.h"
#include "cli/info_command.h"
#include "cli/run_command.h"
#include "cli/runfiles.h"
#include "cli/script_command.h"
#include "cli/standard_streams.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

int Main(const std::vector<std::string>& words) {
  std::error_code error;
  Invocation invocation;
  invocation.closed_streams = OpenClosedStreams();
  invocation.self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw UsageError("no /proc is mounted here: kwker needs it");
  if (!words.empty() && words[0] == kChildCommand) {
    return RunChildCommand({words.begin() + 1, words.end()});
  }

  auto [own, script_words] = SplitAtDashes(words);
  invocation.script_words = std::move(script_words);

  CLI::App app("Makes PyTorch on the CPU faster, with the same results to the bit, and proves it.",
               "kwker");
  app.require_subcommand(1);
  app.set_version_flag("--version", "kwker " KWKER_VERSION, "Print the version and exit");
  const AuditCommand audit(app);
  const RunCommand run(app);
  const CompareCommand compare(app);
  const InfoCommand info(app);
  const bool dashes = own.size() < words.size();  // before CLI11 takes words out of `own`
  try {
    std::reverse(own.begin(), own.end());  // as CLI11 wants a vector
    app.parse(own);
  } catch (const CLI::ExtrasError& e) {
    if (dashes || info.chosen() || compare.chosen()) {
      throw UsageError(std::string(e.what()) + " (see kwker --help)");
    }
    // Most likely the script itself.
    throw UsageError(std::string("put -- before the script: ") +
                     (run.chosen() ? RunCommand::kUsage : AuditCommand::kUsage));
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string(e.what()) + " (see kwker --help)");
  }
  UseRunfiles(invocation.self);
  if (audit.chosen()) return audit.Run(invocation);
  if (run.chosen()) return run.Run(invocation);
  if (compare.chosen()) return compare.Run(invocation);
  return info.Run(invocation);
}

int Complain(const char* what) {
  std::cerr << "kwker: " << what << "\n";
  return audit::kExitUsage;
}

}  // namespace
}  // namespace kwker::cli

int main(int argc, char** argv) {
  using kwker::cli::Complain;
  try {
    return kwker::cli::Main({argv + 1, argv + argc});
  } catch (const kwker::cli::UsageError& e) {
    return Complain(e.what());
  } catch (const kwker::audit::PythonError& e) {
    return Complain(e.what());
  } catch (const kwker::audit::FileError& e) {
    return Complain(e.what());
  } catch (const kwker::audit::RunError& e) {
    return Complain(e.what());
  } catch (const std::exception&) {
    return Complain("something went wrong inside the program: please report how it was called");
  }
}

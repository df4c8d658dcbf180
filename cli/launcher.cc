#include "cli/launcher.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "cli/common_options.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

// Not -m torch.distributed.run: the folder this is called in must not be in front
// of torch's packages. The launcher itself trains nothing: only the processes it
// starts from there install.
constexpr char kLaunch[] = R"(
import os, sys
if not getattr(sys.flags, 'safe_path', False):
    del sys.path[0]
import torch.distributed
if not torch.distributed.is_available():
    sys.stderr.write('kwker: the torch of %s is built without torch.distributed, which '
                     'torchrun needs: install one that has it\n' % sys.executable)
    sys.exit(2)
from torch.distributed.run import main
os.environ['KWKER_INSTALL'] = '1'
sys.argv[0] = 'torchrun'
main()
)";

CLI::Validator KnownLauncher() {
  return CLI::Validator(
      [](std::string& text) {
        return text == "torchrun" ? std::string()
                                  : "no launcher '" + text + "' is known: it can be torchrun";
      },
      "");
}

// "4", or "2:4" where machines may come and go.
CLI::Validator Machines() {
  return CLI::Validator(
      [](std::string& text) {
        const CLI::Validator count = WholeNumber(1, kMost);
        const auto colon = text.find(':');
        std::string low = text.substr(0, colon);
        std::string high = colon == text.npos ? low : text.substr(colon + 1);
        const bool fine =
            count(low).empty() && count(high).empty() &&
            std::strtoll(low.c_str(), nullptr, 10) <= std::strtoll(high.c_str(), nullptr, 10);
        return fine ? std::string()
                    : "'" + text + "' is no number of machines, such as 2, or 2:4 for 2 to 4";
      },
      "");
}

// The variable that torchrun reads where its option is not given: "PET_NODE_RANK".
std::string Variable(const CLI::Option& option) {
  std::string name = "PET_" + option.get_single_name();
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

}  // namespace

Launcher::Launcher(CLI::App& command) {
  launcher_ = command.add_option("--launcher", "Run it in several processes, by this launcher")
                  ->check(KnownLauncher())
                  ->type_name("torchrun");
  const auto add = [&](const char* name, const std::string& text, const char* type) {
    return command.add_option(name, text)->type_name(type);
  };
  processes_ = add("--nproc-per-node", "Processes on this machine (default: 1)", "N")
                   ->check(WholeNumber(1, kMost));
  machines_ = {
      add("--nnodes", "Machines, for each of which this is called", "N")->check(Machines()),
      add("--node-rank", "Which of them this is", "N")->check(WholeNumber(0, kMost)),
      add("--master-addr", "The address of machine 0", "HOST"),
      add("--master-port", "A free port there", "PORT")->check(WholeNumber(0, 65535)),
      add("--rdzv-backend", "How they find each other instead", "NAME"),
      add("--rdzv-endpoint", "Where they find each other", "HOST:PORT"),
      add("--rdzv-id", "What they know each other by", "ID"),
  };
  for (CLI::Option* option : machines_) option->group("Several machines, as for torchrun");
}

bool Launcher::Chosen() const {
  if (launcher_->count() > 0) return true;
  std::vector<CLI::Option*> options = machines_;
  options.push_back(processes_);
  for (const CLI::Option* option : options) {
    if (option->count() > 0) throw UsageError(option->get_name() + " needs --launcher torchrun");
  }
  return false;
}

std::vector<std::string> Launcher::Words(const ScriptCommand& script) const {
  const std::string& first = script.words.front();
  if (first == "-c") throw UsageError("torchrun takes no -c: write the code into a file");
  std::vector<std::string> words = {"-c", kLaunch};
  const auto pass_on = [&](const CLI::Option* option) {
    if (option->count() == 0) return;
    words.push_back("--" + option->get_single_name() + "=" + option->as<std::string>());
  };
  if (std::none_of(machines_.begin(), machines_.end(), [](const CLI::Option* option) {
        return option->count() > 0 || std::getenv(Variable(*option).c_str()) != nullptr;
      })) {
    words.emplace_back("--standalone");
  }
  pass_on(processes_);
  for (const CLI::Option* option : machines_) pass_on(option);
  const bool module = first == "-m";
  if (module) words.push_back(first);
  words.emplace_back("--");  // or torchrun keeps a first "--" of the script's own
  words.insert(words.end(), script.words.begin() + (module ? 1 : 0), script.words.end());
  return words;
}

}  // namespace kwker::cli

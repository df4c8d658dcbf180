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

CLI::Validator Processes() {
  return CLI::Validator(
      [](std::string& text) {
        if (text == "auto" || text == "cpu") return std::string();
        if (text == "gpu" || text == "xpu") {
          return "'" + text + "' counts GPUs, but Kwker is for CPUs: say cpu, auto or a number";
        }
        const std::string wrong = WholeNumber(1, kMost)(text);
        return wrong.empty() ? wrong : wrong + ", nor auto or cpu";
      },
      "");
}

CLI::Validator Backend() {
  return CLI::Validator(
      [](std::string& text) {
        const bool known =
            text == "c10d" || text == "etcd" || text == "etcd-v2" || text == "static";
        return known ? std::string()
                     : "'" + text + "' is no backend of torchrun's: it can be c10d, etcd, " +
                           "etcd-v2 or static";
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

// What torchrun would take for that option, "" for its own default.
std::string Value(const CLI::Option& option) {
  if (option.count() > 0) return option.as<std::string>();
  const char* value = std::getenv(Variable(option).c_str());
  return value == nullptr ? "" : value;
}

// "--node-rank", which torchrun takes as "--node_rank" too.
std::string Spellings(const std::string& name) {
  std::string other = name;
  std::replace(other.begin() + 2, other.end(), '-', '_');
  return other == name ? name : name + "," + other;
}

}  // namespace

Launcher::Launcher(CLI::App& command) {
  launcher_ = command.add_option("--launcher", "Run it in several processes, by this launcher")
                  ->check(KnownLauncher())
                  ->type_name("torchrun");
  const auto add = [&](const char* name, const std::string& text, const char* type) {
    return command.add_option(Spellings(name), text)->type_name(type);
  };
  processes_ = add("--nproc-per-node", "Processes on this machine (default: 1)", "N|cpu|auto")
                   ->check(Processes());
  count_ = add("--nnodes", "Machines, for each of which this is called", "N")->check(Machines());
  rank_ = add("--node-rank", "Which of them this is", "N")->check(WholeNumber(0, kMost));
  address_ = add("--master-addr", "The address of machine 0", "HOST");
  CLI::Option* port =
      add("--master-port", "A free port there", "PORT")->check(WholeNumber(0, 65535));
  backend_ = add("--rdzv-backend", "How they find each other instead", "NAME")->check(Backend());
  endpoint_ = add("--rdzv-endpoint", "Where they find each other", "HOST:PORT");
  CLI::Option* id = add("--rdzv-id", "What they know each other by", "ID");
  machines_ = {count_, rank_, address_, port, backend_, endpoint_, id};
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

// Where torchrun would wait, for minutes, for machines that can never come.
void Launcher::CheckMachines() const {
  std::string count = Value(*count_);
  if (!Machines()(count).empty()) return;  // none given; or torchrun's variable is wrong
  const auto number = [](const std::string& text) {
    return std::strtoll(text.c_str(), nullptr, 10);
  };
  const auto colon = count.find(':');
  const std::string backend = Value(*backend_);
  const bool fixed = backend.empty() || backend == "static";
  const std::int64_t low = number(count);
  const std::int64_t high = colon == count.npos ? low : number(count.substr(colon + 1));
  if (colon == count.npos && rank_->count() > 0 && number(Value(*rank_)) >= low) {
    throw UsageError("--node-rank " + Value(*rank_) + " is none of --nnodes " + count +
                     ": they count from 0");
  }
  // static waits for the most machines, the others for the fewest.
  if ((fixed ? high : low) == 1 || !Value(*endpoint_).empty()) return;
  if (!fixed) {
    throw UsageError("--nnodes " + count + " with --rdzv-backend " + backend +
                     " needs --rdzv-endpoint");
  }
  std::string missing = Value(*rank_).empty() ? "--node-rank" : "";
  if (Value(*address_).empty()) missing += missing.empty() ? "--master-addr" : " and --master-addr";
  if (missing.empty()) return;
  throw UsageError("--nnodes " + count + " needs " + missing + ", or --rdzv-endpoint");
}

std::vector<std::string> Launcher::Words(const ScriptCommand& script) const {
  const std::string& first = script.words.front();
  if (first == "-c") throw UsageError("torchrun takes no -c: write the code into a file");
  CheckMachines();
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

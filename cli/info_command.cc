#include "cli/info_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "audit/utf8.h"
#include "cli/ask_python.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

using nlohmann::json;

json Describe(const audit::PythonInstall& python, bool at_length) {
  std::vector<std::string> args;
  if (at_length) args.emplace_back("at length");
  json info = AskPython(python, "describe", args);
  info["python"] = {{"version", python.version},
                    {"executable", python.executable},
                    {"libpython", python.libpython.empty() ? json() : json(python.libpython)},
                    {"embedded", !python.libpython.empty()}};
  return info;
}

std::string Text(const json& info) {
  std::string page;
  const auto line = [&page](const char* name, const std::string& value) {
    page += fmt::format("{:<12}{}\n", name, audit::Printable(value));
  };
  const json &python = info.at("python"), &torch = info.at("torch");
  line("kwker", fmt::format("{}, built for torch {}", info.at("kwker").get<std::string>(),
                            info.at("torch_release").get<std::string>()));
  line("python", fmt::format("{}  {}{}", python.at("version").get<std::string>(),
                             python.at("executable").get<std::string>(),
                             python.at("embedded").get<bool>()
                                 ? ""
                                 : "  (no shared libpython: audits run it as a program)"));
  line("torch",
       fmt::format("{}, {}, {} threads", torch.at("version").get<std::string>(),
                   torch.at("capability").get<std::string>(), torch.at("threads").get<int>()));
  line("self-check", info.at("self_check").get<std::string>());
  page += '\n';
  const auto width = [&info](const char* name) {
    std::size_t most = 0;
    for (const json& feature : info.at("features")) {
      most = std::max(most, feature.at(name).get<std::string>().size());
    }
    return most;
  };
  const std::size_t name_width = width("name"), state_width = width("state");
  for (const json& feature : info.at("features")) {
    const auto text = [&](const char* name) {
      return audit::Printable(feature.at(name).get<std::string>());
    };
    const std::string detail = text("detail");
    page += fmt::format("{:<{}}  {:<{}}  replaces {}{}\n", text("name"), name_width, text("state"),
                        state_width, text("replaces"), detail.empty() ? "" : ": " + detail);
  }
  if (info.at("verification").is_object()) {
    page += "\nself-checks at length\n";
    std::istringstream table(info.at("verification").at("table").get<std::string>());
    for (std::string row; std::getline(table, row);) page += audit::Printable(row) + '\n';
  }
  return page;
}

}  // namespace

InfoCommand::InfoCommand(CLI::App& app)
    : command_(app.add_subcommand("info", "Show what is installed and check it on this machine")) {
  SetUsage(*command_, "Usage: kwker info [options]");
  command_->add_flag("--json", json_, "As JSON");
  command_->add_flag("--verify", verify_, "Compare with torch at length, and show what was found");
  AddPythonOption(*command_, python_);
}

int InfoCommand::Run(const Invocation& invocation) const {
  if (!invocation.script_words.empty()) throw UsageError("info takes no script");
  const json info = Describe(UsePython(python_, invocation.self), verify_);
  std::cout << (json_ ? info.dump(2, ' ', false, json::error_handler_t::replace) + "\n"
                      : Text(info));
  if (!std::cout.flush()) {
    std::cerr << "kwker: cannot write to stdout: it is closed or its disk is full\n";
    return 1;
  }
  const std::string self_check = info.value("self_check", "");
  return self_check == "passed" || self_check == "not run" ? 0 : 1;
}

}  // namespace kwker::cli

#include "cli/info_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "audit/utf8.h"
#include "cli/ask_python.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

using nlohmann::json;

json Describe(const audit::PythonInstall& python) {
  json info = AskPython(python, "describe", {});
  info["python"] = {{"version", python.version},
                    {"executable", python.executable},
                    {"libpython", python.libpython.empty() ? json() : json(python.libpython)},
                    {"embedded", !python.libpython.empty()}};
  return info;
}

void Print(const json& info) {
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<12}{}\n", name, audit::Printable(value));
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
  fmt::print("\n");
  std::size_t width = 0;
  for (const json& feature : info.at("features")) {
    width = std::max(width, feature.at("name").get<std::string>().size());
  }
  for (const json& feature : info.at("features")) {
    const auto text = [&](const char* name) {
      return audit::Printable(feature.at(name).get<std::string>());
    };
    const std::string detail = text("detail");
    fmt::print("{:<{}}  {:<4} replaces {}{}\n", text("name"), width, text("state"),
               text("replaces"), detail.empty() ? "" : ": " + detail);
  }
}

}  // namespace

InfoCommand::InfoCommand(CLI::App& app)
    : command_(app.add_subcommand("info", "Show what is installed and check it on this machine")) {
  SetUsage(*command_, "Usage: kwker info [options]");
  command_->add_flag("--json", json_, "As JSON");
  AddPythonOption(*command_, python_);
}

int InfoCommand::Run(const Invocation& invocation) const {
  if (!invocation.script_words.empty()) throw UsageError("info takes no script");
  const json info = Describe(UsePython(python_, invocation.self));
  if (json_) {
    std::cout << info.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  } else {
    Print(info);
  }
  return info.value("self_check", "") == "passed" ? 0 : 1;
}

}  // namespace kwker::cli

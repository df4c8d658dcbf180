#include "cli/info_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/process.hpp>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "audit/utf8.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace bp = boost::process;

namespace kwker::cli {
namespace {

using nlohmann::json;

// Not -m: the folder this is called in must not be in front of the packages.
constexpr char kAsk[] =
    "import sys; sys.path[:1] == [''] and sys.path.pop(0); import kwker._info as i; i.main()";

// What kwker/_info.py finds out in that Python.
json Ask(const audit::PythonInstall& python) {
  bp::environment environment = boost::this_process::environment();
  environment["KWKER_INSTALL"] = "0";  // it installs the kernels itself
  std::string text;
  try {
    bp::ipstream out;
    bp::child child(bp::exe = python.executable, bp::args = {"-c", kAsk}, environment,
                    bp::std_out > out, bp::std_in<bp::null, bp::std_err> bp::null);
    text.assign(std::istreambuf_iterator<char>(out), {});
    child.wait();
  } catch (const bp::process_error& e) {
    throw audit::PythonError("cannot run " + python.executable + ": " + e.code().message());
  }
  const auto line = text.rfind("\n{");
  json info = json::parse(line == text.npos ? "" : text.substr(line), nullptr, false);
  if (info.is_discarded()) {
    throw audit::PythonError("the torch or the Kwker in " + python.executable +
                             " cannot be imported: try " + python.executable +
                             " -c 'import torch, kwker.torch_ops'");
  }
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
  std::size_t width = std::string("feature").size();
  for (const json& feature : info.at("features")) {
    width = std::max(width, feature.at("name").get<std::string>().size());
  }
  fmt::print("{:<{}}  {}\n", "feature", width, "state");
  for (const json& feature : info.at("features")) {
    fmt::print("{:<{}}  {}\n", feature.at("name").get<std::string>(), width,
               audit::Printable(feature.at("state").get<std::string>()));
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
  const json info = Ask(UsePython(python_, invocation.self));
  if (json_) {
    std::cout << info.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  } else {
    Print(info);
  }
  return info.value("self_check", "") == "passed" ? 0 : 1;
}

}  // namespace kwker::cli

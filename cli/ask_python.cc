#include "cli/ask_python.h"

#include <fmt/ranges.h>

#include <boost/process.hpp>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/usage_error.h"

namespace bp = boost::process;

namespace kwker::cli {
namespace {

// Not -m: the folder this is called in must not be in front of the packages.
constexpr char kAsk[] = R"(
import sys
if not getattr(sys.flags, 'safe_path', False):
    del sys.path[0]
from kwker import _info
_info.answer(getattr(_info, sys.argv[1])(*sys.argv[2:]))
)";

}  // namespace

nlohmann::json AskPython(const audit::PythonInstall& python, const std::string& function,
                         const std::vector<std::string>& args) {
  bp::environment environment = boost::this_process::environment();
  environment["KWKER_INSTALL"] = "0";
  std::vector<std::string> words = {"-c", kAsk, function};
  words.insert(words.end(), args.begin(), args.end());
  std::string text;
  try {
    bp::ipstream out;
    bp::child child(bp::exe = python.executable, bp::args = words, environment, bp::std_out > out,
                    bp::std_in<bp::null, bp::std_err> bp::null);
    text.assign(std::istreambuf_iterator<char>(out), {});
    child.wait();
  } catch (const bp::process_error& e) {
    throw audit::PythonError("cannot run " + python.executable + ": " + e.code().message());
  }
  const auto line = text.rfind("\n{");
  auto answer = nlohmann::json::parse(line == text.npos ? "" : text.substr(line), nullptr,
                                      /*allow_exceptions=*/false);
  if (answer.is_discarded()) {
    throw audit::PythonError("the torch or the Kwker of " + python.executable +
                             " cannot be imported: see what " + python.executable +
                             " -c 'import kwker.torch_ops' says");
  }
  return answer;
}

void CheckFeatures(const audit::PythonInstall& python,
                   const std::optional<std::vector<std::string>>& features,
                   const std::string& option) {
  if (!features) return;
  const std::string names = fmt::format("{}", fmt::join(*features, ","));
  const std::string error = AskPython(python, "check_features", {names}).value("error", "");
  if (!error.empty()) throw UsageError(option + ": " + error);
}

}  // namespace kwker::cli

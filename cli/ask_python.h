// Questions that only the user's Python, with torch imported, can answer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "audit/python_install.h"

namespace kwker::cli {

// What kwker._info.`function`(*`args`) returns there. Throws PythonError if torch
// or Kwker cannot be imported.
nlohmann::json AskPython(const audit::PythonInstall& python, const std::string& function,
                         const std::vector<std::string>& args);

// Throws UsageError if `option` names features that do not exist there.
void CheckFeatures(const audit::PythonInstall& python,
                   const std::optional<std::vector<std::string>>& features,
                   const std::string& option = "--features");

}  // namespace kwker::cli

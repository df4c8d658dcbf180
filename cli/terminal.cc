#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace kwker::cli {
namespace {

std::string Env(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

bool IsTerminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

bool WantsColour(std::FILE* stream) {
  return IsTerminal(stream) && Env("NO_COLOR").empty() && Env("TERM") != "dumb";
}

int Width(std::FILE* stream) {
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int columns = std::atoi(Env("COLUMNS").c_str());
  return columns > 0 ? columns : 80;
}

bool SpeaksUnicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = Env(name);
    if (value.empty()) continue;
    for (const char* utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"}) {
      if (value.find(utf8) != std::string::npos) return true;
    }
    return false;
  }
  return false;
}

}  // namespace kwker::cli

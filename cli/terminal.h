// What the terminal behind a stream can show.
#pragma once

#include <cstdio>

namespace kwker::cli {

bool IsTerminal(std::FILE* stream);

// A terminal that knows colours, and the user has not said NO_COLOR.
bool WantsColour(std::FILE* stream);

// Its columns; COLUMNS, or else 80, where it is no terminal.
int Width(std::FILE* stream);

// Whether the user's locale is UTF-8.
bool SpeaksUnicode();

}  // namespace kwker::cli

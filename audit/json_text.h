// JSON that may hold file names which are not UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "audit/parsed.h"

namespace kwker::audit {

// Python writes a byte 0xXX of a file name or argument that is not UTF-8 as the
// lone surrogate U+DCXX (its "surrogateescape"), which nlohmann_json does not
// take. These two keep such bytes: strings in C++ hold the bytes themselves, the
// text holds "\udcXX". In C++'s document they stand as U+FDD0 (a noncharacter,
// in no real text) and U+00XX; Bytes() turns a string of it into its bytes.

// The document as ASCII text. `document`'s strings may hold any bytes.
std::string DumpWithBytes(const nlohmann::json& document);

// Never throws. Other lone surrogates become U+FFFD. The error says nothing of
// what the text is, only what is wrong: "is not JSON (at byte 17)".
Parsed<nlohmann::json> ParseWithBytes(std::string_view text);

// The bytes that a string of a ParseWithBytes document stands for.
std::string Bytes(std::string_view text);

}  // namespace kwker::audit

// The little of UTF-8 that reports need.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kwker::audit {

// Bytes of the valid UTF-8 character at the start of `text`; 0: there is none
// (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF).
std::size_t Utf8Length(std::string_view text);

// Terminal columns, one a character: right for all that reports are made of.
std::size_t Columns(std::string_view text);

// The first `columns` characters.
std::string_view FirstColumns(std::string_view text, std::size_t columns);

// For showing what others wrote: colours and other sequences that start with
// ESC [ are left out, control characters (also those of C1) become
// '?', as do bytes that are not UTF-8. Newlines and tabs become spaces.
std::string Printable(std::string_view text);

// The same text in ASCII: typographical signs of reports become plain ones,
// other characters '?'.
std::string Ascii(std::string_view text);

}  // namespace kwker::audit

#include "audit/utf8.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

TEST(Utf8Length, OfValidCharacters) {
  EXPECT_EQ(Utf8Length("a"), 1u);
  EXPECT_EQ(Utf8Length("é"), 2u);
  EXPECT_EQ(Utf8Length("…"), 3u);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x98\x80"), 4u);
}

TEST(Utf8Length, ZeroWhereThereIsNone) {
  for (const char* bad : {"", "\x80", "\xC0\xAF", "\xC3", "\xC3(", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xE2\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"}) {
    EXPECT_EQ(Utf8Length(bad), 0u);
  }
}

TEST(Columns, CountsCharactersAndBadBytes) {
  EXPECT_EQ(Columns(""), 0u);
  EXPECT_EQ(Columns("1.31–1.44"), 9u);
  EXPECT_EQ(Columns("a\xFF"), 2u);
}

TEST(FirstColumns, CutsBetweenCharacters) {
  EXPECT_EQ(FirstColumns("a–b", 2), "a–");
  EXPECT_EQ(FirstColumns("ab", 5), "ab");
  EXPECT_EQ(FirstColumns("ab", 0), "");
}

TEST(Printable, LeavesNothingForATerminalToObey) {
  EXPECT_EQ(Printable("plain · text"), "plain · text");
  EXPECT_EQ(Printable("\x1b[1;31mred\x1b[0m\x07"), "red?");
  EXPECT_EQ(Printable("\x1b]0;title\x07\x1b[3"), "?]0;title?");
  EXPECT_EQ(Printable("\x1b[3\nx"), " x");
  EXPECT_EQ(Printable("a\nb\tc"), "a b c");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "?31m");  // C1's control sequence introducer
  EXPECT_EQ(Printable("\xFF\x7F"), "??");
}

TEST(Ascii, ReplacesSigns) { EXPECT_EQ(Ascii("1.31–1.44 · é"), "1.31-1.44 | ?"); }

}  // namespace
}  // namespace kwker::audit

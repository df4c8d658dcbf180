#include "audit/terminal.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

using Lines = std::vector<std::string>;

TEST(Fold, AtSpaces) {
  EXPECT_EQ(Fold("", 10), Lines{""});
  EXPECT_EQ(Fold("one two", 10), Lines{"one two"});
  EXPECT_EQ(Fold("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(Fold("  one   two ", 10), Lines{"one two"});
}

TEST(Fold, BreaksLongWords) {
  EXPECT_EQ(Fold("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(Fold("x abcdef y", 3), (Lines{"x", "abc", "def", "y"}));
}

TEST(Fold, CountsCharactersNotBytes) { EXPECT_EQ(Fold("–– ––", 5), Lines{"–– ––"}); }

TEST(Paint, OnlyWhatHasColour) {
  EXPECT_EQ(Paint("x", Ink::kPlain), "x");
  EXPECT_EQ(Paint("", Ink::kBad), "");
  EXPECT_EQ(Paint("x", Ink::kGood), "\x1b[1;32mx\x1b[0m");
}

}  // namespace
}  // namespace kwker::audit

#include "audit/text_page.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

TEST(TextPage, FillsColumnsNotBytes) {
  EXPECT_EQ(Left("é", 3), "é  ");
  EXPECT_EQ(Right("é", 3), "  é");
  EXPECT_EQ(Left("long", 2), "long");
}

TEST(TextPage, EntriesAreFoldedBesideTheirLabel) {
  TextPage page({.width = 44});
  page.Entry("label", "one two three four five six seven", Ink::kDim, Ink::kPlain);
  EXPECT_EQ(page.Take(),
            "label          one two three four five six\n"
            "               seven\n");
}

TEST(TextPage, PartsStayWholeWhereTheyFit) {
  TextPage page({.width = 44});
  page.Parts({{std::string(20, 'a')}, {std::string(21, 'b')}, {std::string(21, 'c')}});
  EXPECT_EQ(page.Take(), std::string(20, 'a') + " · " + std::string(21, 'b') + "\n" +
                             std::string(21, 'c') + "\n");
  TextPage folded({.width = 44});
  folded.Parts({{std::string(50, 'a')}, {"b"}});
  EXPECT_EQ(folded.Take(), std::string(44, 'a') + "\n" + std::string(6, 'a') + " · b\n");
}

TEST(TextPage, AsciiAndColour) {
  TextPage page({.width = 44, .colour = false, .unicode = false});
  page.Parts({{"a"}, {"b"}});
  for (const char c : page.Take()) EXPECT_GE(c, 0);
  TextPage coloured({.width = 44, .colour = true});
  coloured.Line({{"good", Ink::kGood}});
  EXPECT_EQ(coloured.Take(), Paint("good", Ink::kGood) + "\n");
}

}  // namespace
}  // namespace kwker::audit

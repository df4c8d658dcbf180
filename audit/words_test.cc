#include "audit/words.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

TEST(FormatSeconds, ThreeDigits) {
  EXPECT_EQ(FormatSeconds(0), "0.00 s");
  EXPECT_EQ(FormatSeconds(0.0123), "0.012 s");
  EXPECT_EQ(FormatSeconds(0.5), "0.500 s");
  EXPECT_EQ(FormatSeconds(8.314), "8.31 s");
  EXPECT_EQ(FormatSeconds(15.94), "15.9 s");
  EXPECT_EQ(FormatSeconds(119.4), "119 s");
  EXPECT_EQ(FormatSeconds(119.6), "2 min 0 s");
  EXPECT_EQ(FormatSeconds(125), "2 min 5 s");
  EXPECT_EQ(FormatSeconds(4800), "1 h 20 min");
}

TEST(FormatBytes, DecimalUnits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(848), "848 B");
  EXPECT_EQ(FormatBytes(1000), "1.0 kB");
  EXPECT_EQ(FormatBytes(9960), "10 kB");
  EXPECT_EQ(FormatBytes(92'400'000), "92 MB");
  EXPECT_EQ(FormatBytes(999'600'000), "1.0 GB");
}

TEST(FormatRatio, AsManyDigitsAsTell) {
  EXPECT_EQ(FormatRatio({}), "?");
  EXPECT_EQ(FormatRatio({1.379, Interval{1.31, 1.44}, 8, "m"}), "1.38x");
  EXPECT_EQ(FormatRatio({1.0004, Interval{0.9981, 1.0022}, 8, "m"}), "1.000x");
  EXPECT_EQ(FormatRatio({12.34, Interval{11, 13}, 8, "m"}), "12.3x");
  EXPECT_EQ(FormatRatio({1.5, std::nullopt, 1, ""}), "1.50x");
  EXPECT_EQ(FormatInterval({1.379, Interval{1.312, 1.439}, 8, "m"}), "1.31–1.44");
  EXPECT_EQ(FormatInterval({1.0004, Interval{0.9981, 1.0022}, 8, "m"}), "0.998–1.002");
}

TEST(Plural, OneAndMany) {
  EXPECT_EQ(Plural(1, "pair"), "1 pair");
  EXPECT_EQ(Plural(0, "pair"), "0 pairs");
  EXPECT_EQ(Plural(8, "pair"), "8 pairs");
}

}  // namespace
}  // namespace kwker::audit

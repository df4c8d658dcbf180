#include "cli/common_options.h"

#include <gtest/gtest.h>

namespace kwker::cli {
namespace {

std::string Complaint(const CLI::Validator& validator, std::string text) { return validator(text); }

TEST(WholeNumberTest, TakesItsBounds) {
  const CLI::Validator validator = WholeNumber(1, 20);
  for (const char* text : {"1", "7", "20"}) EXPECT_EQ(Complaint(validator, text), "");
  for (const char* text : {"0", "21", "-1", "", "2.5", "2x", " 2", "1e1", "9999999999999999999"}) {
    EXPECT_EQ(Complaint(validator, text),
              std::string("'") + text + "' is not a whole number from 1 to 20");
  }
}

TEST(AboveZeroTest, TakesFiniteNumbers) {
  for (const char* text : {"1", "0.5", "1e-300"}) EXPECT_EQ(Complaint(AboveZero(), text), "");
  for (const char* text : {"0", "-1", "", "nan", "inf", "1e999", "2x"}) {
    EXPECT_EQ(Complaint(AboveZero(), text), std::string("'") + text + "' is not a number above 0");
  }
}

}  // namespace
}  // namespace kwker::cli

#include "audit/compare_outputs.h"

#include <gtest/gtest.h>

namespace kwker::audit {
namespace {

Output Make(const std::string& name, const std::string& digest = "0") {
  return {name, "float32", {2, 3}, 24, 0, digest};
}

ChildResult Result(const std::vector<Output>& outputs, bool complete = true) {
  ChildResult result;
  result.outputs = outputs;
  if (!complete) result.incomplete = {"x could not be compared"};
  return result;
}

std::string First(const ChildResult& left, const ChildResult& right) {
  const auto difference = FirstDifference(left, right, "on the left", "on the right");
  return difference ? difference->name + ": " + difference->what : "";
}

// "name: what", or "" if alike.
std::string First(const std::vector<Output>& left, const std::vector<Output>& right) {
  return First(Result(left), Result(right));
}

TEST(FirstDifference, NoneIfAlike) {
  EXPECT_EQ(First(std::vector<Output>{}, std::vector<Output>{}), "");
  EXPECT_EQ(First({Make("a"), Make("b")}, {Make("a"), Make("b")}), "");
  EXPECT_EQ(First({Make("a"), Make("b")}, {Make("b"), Make("a")}), "");
}

TEST(FirstDifference, FirstInTheLeftsOrder) {
  EXPECT_EQ(First({Make("z"), Make("b"), Make("a")}, {Make("a", "1"), Make("b", "1"), Make("z")}),
            "b: bits");
}

TEST(FirstDifference, TypeAndShape) {
  Output other = Make("a");
  other.dtype = "float64";
  EXPECT_EQ(First({Make("a")}, {other}), "a: dtype float32, float64");
  other = Make("a");
  other.shape = {3, 2};
  EXPECT_EQ(First({Make("a")}, {other}), "a: shape (2, 3), (3, 2)");
  other.shape = {};
  EXPECT_EQ(First({Make("a")}, {other}), "a: shape (2, 3), ()");
  other = Make("a");
  other.nans = 2;
  EXPECT_EQ(First({Make("a")}, {other}), "a: bits (NaNs: 0, 2)");
}

TEST(FirstDifference, MissingNames) {
  EXPECT_EQ(First({Make("a"), Make("b")}, {Make("a")}), "b: only on the left");
  EXPECT_EQ(First({Make("a")}, {Make("b"), Make("a")}), "b: only on the right");
}

TEST(FirstDifference, NamesakesAreMatchedByOrder) {
  EXPECT_EQ(First({Make("a", "0"), Make("a", "1")}, {Make("a", "0"), Make("a", "1")}), "");
  EXPECT_EQ(First({Make("a", "0"), Make("a", "1")}, {Make("a", "1"), Make("a", "0")}), "a: bits");
  EXPECT_EQ(First({Make("a"), Make("a")}, {Make("a")}), "a: only on the left");
}

TEST(DifferingOutputs, Counts) {
  const auto count = [](std::vector<Output> left, std::vector<Output> right) {
    return DifferingOutputs(Result(left, true), Result(right, true));
  };
  EXPECT_EQ(count({Make("a"), Make("b")}, {Make("a"), Make("b")}), 0);
  EXPECT_EQ(count({Make("a", "1"), Make("b"), Make("c")}, {Make("a", "2"), Make("b"), Make("d")}),
            3);
}

TEST(FirstDifference, WhatIsMissingInAnIncompleteRunProvesNothing) {
  const std::vector<Output> one = {Make("a")}, two = {Make("a"), Make("b")};
  for (const auto& [left_whole, right_whole] : {std::pair(false, true), {true, false}}) {
    EXPECT_EQ(First(Result(one, left_whole), Result(two, right_whole)), "");
    EXPECT_EQ(First(Result(two, left_whole), Result(one, right_whole)), "");
    // One of two namesakes: which of them is missing nobody knows.
    EXPECT_EQ(First(Result({Make("a", "1"), Make("a", "0")}, left_whole),
                    Result({Make("a", "0")}, right_whole)),
              "");
    EXPECT_EQ(First(Result({Make("a", "1")}, left_whole), Result(two, right_whole)), "a: bits");
  }
}

}  // namespace
}  // namespace kwker::audit

#include "audit/element_difference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace kwker::audit {
namespace {

class KeptFile {
 public:
  explicit KeptFile(const char* name)
      : path_(fs::path(testing::TempDir()) / name), out_(path_, std::ios::binary) {}

  template <class T>
  KeptFile& Add(const std::string& name, const std::string& dtype, const std::vector<T>& values) {
    out_ << R"({"name": ")" << name << R"(", "dtype": ")" << dtype << R"(", "shape": [)"
         << values.size() << R"(], "bytes": )" << values.size() * sizeof(T) << "}\n";
    out_.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
    out_.flush();
    return *this;
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::ofstream out_;
};

template <class T>
std::optional<ElementDifference> Compare(const std::string& dtype, const std::vector<T>& left,
                                         const std::vector<T>& right) {
  KeptFile a("left"), b("right");
  a.Add("x", dtype, left);
  b.Add("x", dtype, right);
  return CompareKept(a.path(), b.path());
}

TEST(CompareKept, UlpsAndAbsolutely) {
  const float one = 1, next = std::nextafter(1.0f, 2.0f);
  const auto found =
      Compare<float>("float32", {0, one, 3, one}, {0, next, 3, std::nextafter(next, 2.0f)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "x");
  EXPECT_EQ(found->elements, 4);
  EXPECT_EQ(found->differing, 2);
  EXPECT_EQ(found->first, 1);
  EXPECT_EQ(found->largest_ulps, 2u);
  EXPECT_EQ(found->largest, 2 * std::ldexp(1.0, -23));
  EXPECT_EQ(found->nans, 0);
}

TEST(CompareKept, AcrossZeroAndAtTheEnds) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(Compare<double>("float64", {-tiny}, {tiny})->largest_ulps, 2u);
  const auto zeros = Compare<double>("float64", {0.0}, {-0.0});
  EXPECT_EQ(zeros->differing, 1);
  EXPECT_EQ(zeros->largest_ulps, 0u);
  EXPECT_EQ(zeros->largest, 0);
  const auto ends = Compare<double>("float64", {-HUGE_VAL}, {HUGE_VAL});
  EXPECT_EQ(ends->largest_ulps, 2 * (2047ull << 52));
  EXPECT_EQ(ends->largest, HUGE_VAL);
}

TEST(CompareKept, ANanIsLikeAnyOther) {
  const float nan = std::nanf("1"), other = -std::nanf("7");
  const auto found = Compare<float>("float32", {nan, nan, 1}, {other, 2, 1});
  EXPECT_EQ(found->differing, 1);
  EXPECT_EQ(found->first, 1);
  EXPECT_EQ(found->nans, 1);
  EXPECT_FALSE(found->largest);
  EXPECT_FALSE(Compare<float>("float32", {nan}, {other}));
}

TEST(CompareKept, OtherTypes) {
  // 1 and the next after it.
  const auto half = Compare<std::uint16_t>("float16", {0x3c00}, {0x3c01});
  EXPECT_EQ(half->largest, std::ldexp(1.0, -10));
  EXPECT_EQ(half->largest_ulps, 1u);
  EXPECT_EQ(Compare<std::uint16_t>("bfloat16", {0x3f80}, {0x3f81})->largest, std::ldexp(1.0, -7));
  EXPECT_EQ(Compare<std::uint16_t>("float16", {0}, {1})->largest, std::ldexp(1.0, -24));
  const auto whole = Compare<std::int64_t>("int64", {5, 7}, {5, -7});
  EXPECT_EQ(whole->largest, 14);
  EXPECT_FALSE(whole->largest_ulps);
  EXPECT_EQ(Compare<std::uint8_t>("uint8", {0}, {255})->largest, 255);
  const auto truth = Compare<std::uint8_t>("bool", {0, 1}, {1, 1});
  EXPECT_EQ(truth->differing, 1);
  EXPECT_FALSE(truth->largest);
  const auto complex =
      Compare<std::complex<float>>("complex64", {{1, 2}, {3, 4}}, {{1, 2}, {3, 6}});
  EXPECT_EQ(complex->elements, 2);
  EXPECT_EQ(complex->first, 1);
  EXPECT_EQ(complex->largest, 2);
  EXPECT_FALSE(Compare<std::uint8_t>("quint8", {0}, {1}));
}

TEST(CompareKept, MoreThanFitsInMemoryAtOnce) {
  std::vector<double> left(100'000, 1), right = left;
  right[65'432] = 3;
  right[99'999] = 2;
  const auto found = Compare("float64", left, right);
  EXPECT_EQ(found->elements, 100'000);
  EXPECT_EQ(found->differing, 2);
  EXPECT_EQ(found->first, 65'432);
  EXPECT_EQ(found->largest, 2);
}

TEST(CompareKept, TheFirstOfSeveralThatDiffers) {
  KeptFile a("left"), b("right");
  a.Add<float>("backward[0]", "float32", {1}).Add<float>("backward[1]", "float32", {1});
  b.Add<float>("backward[0]", "float32", {1}).Add<float>("backward[1]", "float32", {2});
  EXPECT_EQ(CompareKept(a.path(), b.path())->name, "backward[1]");
}

TEST(CompareKept, WhatCannotBeCompared) {
  KeptFile a("left"), b("right"), empty("empty");
  a.Add<float>("x", "float32", {1, 2});
  b.Add<float>("x", "float32", {1, 2, 3});
  EXPECT_FALSE(CompareKept(a.path(), b.path()));  // of another shape
  EXPECT_FALSE(CompareKept(a.path(), a.path()));
  EXPECT_FALSE(CompareKept(a.path(), empty.path()));
  EXPECT_FALSE(CompareKept(a.path(), "/no/such/file"));
  for (const char* rubbish : {"rubbish", "{}\n", R"({"name": 1})", "[1]\n", "null\n",
                              R"({"name":"x","dtype":"float32","shape":[9],"bytes":36})"
                              "\nshort"}) {
    std::ofstream(empty.path()) << rubbish;
    EXPECT_FALSE(CompareKept(empty.path(), empty.path())) << rubbish;
  }
}

}  // namespace
}  // namespace kwker::audit

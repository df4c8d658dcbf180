#include "audit/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace kwker::audit {
namespace {

using nlohmann::json;

// What `text` comes back as.
std::string RoundTrip(const std::string& text) {
  const Parsed<json> parsed = ParseWithBytes(DumpWithBytes({{"k", text}}));
  EXPECT_TRUE(parsed) << parsed.error;
  return parsed ? Bytes((*parsed.value)["k"].get<std::string>()) : "";
}

TEST(JsonText, AnyBytesComeBack) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& text :
       {std::string("plain"), std::string("é … \xF0\x9F\x98\x80"), std::string("\xFF\xFE"), all,
        std::string("\\udcff and \"quotes\" \\"), std::string("\xC3"), std::string("a\0b", 3)}) {
    EXPECT_EQ(RoundTrip(text), text);
  }
}

TEST(JsonText, WritesWhatPythonReads) {
  EXPECT_EQ(DumpWithBytes("caf\xE9"), "\"caf\\udce9\"");
  EXPECT_EQ(DumpWithBytes("\\udce9"), "\"\\\\udce9\"");
  EXPECT_EQ(DumpWithBytes({{"\xFF", 1}}), "{\n  \"\\udcff\": 1\n}");
}

TEST(JsonText, ReadsWhatPythonWrites) {
  EXPECT_EQ(Bytes(ParseWithBytes("\"caf\\udce9\"").value->get<std::string>()), "caf\xE9");
  EXPECT_EQ(Bytes(ParseWithBytes("\"\\uD83D\\uDE00\"").value->get<std::string>()),
            "\xF0\x9F\x98\x80");
  EXPECT_EQ(Bytes(ParseWithBytes("\"\\\\udce9\"").value->get<std::string>()), "\\udce9");
}

TEST(JsonText, OtherLoneSurrogatesAreReplaced) {
  for (const char* text : {"\"\\ud800\"", "\"\\udc00\"", "\"\\udfff\"", "\"\\ud800\\n\""}) {
    const Parsed<json> parsed = ParseWithBytes(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed.value->get<std::string>().substr(0, 3), "\xEF\xBF\xBD");
  }
}

TEST(JsonText, ErrorsAreOneLine) {
  for (const char* text : {"", "{", "nul", "{\"a\": NaN}", "[1,]", "\"\\u12\"", "\"\xFF\"", "\"\\",
                           "{\"a\":1}x", "[1e999]"}) {
    const Parsed<json> parsed = ParseWithBytes(text);
    EXPECT_FALSE(parsed) << text;
    EXPECT_FALSE(parsed.error.empty());
    EXPECT_EQ(parsed.error.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace kwker::audit

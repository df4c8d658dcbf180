#include "audit/protocol.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace kwker::audit {
namespace {

using nlohmann::json;

ChildRequest Request() {
  return {{"train.py", "--epochs", "1", "caf\xE9"}, true, {{"optim.adamw"}}, -7, true, "/tmp/R"};
}

json Result() {
  return json::parse(R"({
    "protocol": 1,
    "script": {"wall_s": 1.5, "cpu_user_s": 2, "cpu_sys_s": 0.25, "overhead_s": 0.01,
               "install_s": 0.1, "digest_s": 0.2},
    "torch": {"version": "2.13.0+cpu", "capability": "AVX2", "threads": 2},
    "features": [{"name": "optim.adamw", "state": "on", "calls": 7, "fallbacks": {"amsgrad": 3}}],
    "outputs": [{"name": "backward[0]", "dtype": "float32", "shape": [], "bytes": 4, "nans": 1,
                 "digest": "000102030405060708090a0b0c0d0e0f"}],
    "warnings": ["w"], "incomplete": ["x could not be compared"], "of a later version": {}
  })");
}

TEST(Request, ComesBack) {
  const ChildRequest request = Request();
  const Parsed<ChildRequest> parsed = ParseRequest(SerializeRequest(request));
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_EQ(parsed.value->command, request.command);
  EXPECT_EQ(parsed.value->install, request.install);
  EXPECT_EQ(parsed.value->features, request.features);
  EXPECT_EQ(parsed.value->seed, request.seed);
  EXPECT_EQ(parsed.value->record, request.record);
  EXPECT_EQ(parsed.value->result, request.result);
}

TEST(Request, NullsAndEmptyLists) {
  ChildRequest request = Request();
  request.features.reset();
  request.seed.reset();
  const json document = json::parse(SerializeRequest({{"x.py"}, false, {}, {}, false, "/r"}));
  EXPECT_EQ(document, json::parse(R"({"protocol": 1, "command": ["x.py"], "install": false,
      "features": null, "seed": null, "record": false, "keep": null, "result": "/r"})"));
  request.features.emplace();
  EXPECT_TRUE(ParseRequest(SerializeRequest(request)).value->features->empty());
}

TEST(Request, WhatIsToBeKept) {
  ChildRequest request = Request();
  request.command = {"train.py"};
  request.keep = KeepRequest{"backward[3]", "/tmp/KEPT"};
  EXPECT_EQ(ParseRequest(SerializeRequest(request)).value->keep, request.keep);
  json document = json::parse(SerializeRequest(request));
  document.erase("keep");  // of an older program
  EXPECT_FALSE(ParseRequest(document.dump()).value->keep);
  document["keep"] = "x";
  EXPECT_EQ(ParseRequest(document.dump()).error, "REQUEST.json: \"keep\" must be an object");
}

TEST(Result, IsRead) {
  const Parsed<ChildResult> parsed = ParseResult(Result().dump());
  ASSERT_TRUE(parsed) << parsed.error;
  const ChildResult& result = *parsed.value;
  EXPECT_EQ(result.wall_s, 1.5);
  EXPECT_EQ(result.cpu_user_s, 2);
  EXPECT_EQ(result.cpu_sys_s, 0.25);
  EXPECT_EQ(result.overhead_s, 0.01);
  EXPECT_EQ(result.install_s, 0.1);
  EXPECT_EQ(result.digest_s, 0.2);
  EXPECT_EQ(result.torch_version, "2.13.0+cpu");
  EXPECT_EQ(result.capability, "AVX2");
  EXPECT_EQ(result.threads, 2);
  ASSERT_EQ(result.features.size(), 1u);
  EXPECT_EQ(result.features[0].name, "optim.adamw");
  EXPECT_EQ(result.features[0].state, "on");
  EXPECT_EQ(result.features[0].calls, 7);
  EXPECT_EQ(result.features[0].fallbacks.at("amsgrad"), 3);
  const Output output{"backward[0]", "float32", {}, 4, 1, "000102030405060708090a0b0c0d0e0f"};
  EXPECT_EQ(result.outputs, std::vector<Output>{output});
  EXPECT_EQ(result.warnings, std::vector<std::string>{"w"});
  EXPECT_EQ(result.incomplete, std::vector<std::string>{"x could not be compared"});
}

TEST(Result, CompleteUnlessItSaysOtherwise) {
  json document = Result();
  document.erase("incomplete");
  const Parsed<ChildResult> parsed = ParseResult(document.dump());
  ASSERT_TRUE(parsed) << parsed.error;
  EXPECT_TRUE(parsed.value->incomplete.empty());
  document["incomplete"] = nullptr;
  EXPECT_EQ(ParseResult(document.dump()).error, "RESULT.json: \"incomplete\" must be a list");
}

TEST(Result, WithoutTorch) {
  json document = Result();
  document["torch"] = nullptr;
  const Parsed<ChildResult> parsed = ParseResult(document.dump());
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed.value->torch_version, "");
}

TEST(Result, ErrorsSayWhere) {
  const auto error = [](const char* pointer, const json& value) {
    json document = Result();
    document[json::json_pointer(pointer)] = value;
    return ParseResult(document.dump()).error;
  };
  EXPECT_EQ(error("/script/wall_s", "1"), "RESULT.json: \"script.wall_s\" must be a number");
  EXPECT_EQ(error("/script", 1), "RESULT.json: \"script\" must be an object");
  EXPECT_EQ(error("/outputs/0/shape", {1, -1}),
            "RESULT.json: \"outputs[0].shape[1]\" must be a whole number, 0 or above");
  EXPECT_EQ(error("/outputs/0/digest", "0"),
            "RESULT.json: \"outputs[0].digest\" must be 32 hexadecimal digits");
  EXPECT_EQ(error("/outputs/0/bytes", 1.5),
            "RESULT.json: \"outputs[0].bytes\" must be a whole number");
  EXPECT_EQ(error("/outputs/0/bytes", 18446744073709551615u),
            "RESULT.json: \"outputs[0].bytes\" must be a whole number of at most 63 bits");
  EXPECT_EQ(error("/features/0/fallbacks/amsgrad", nullptr),
            "RESULT.json: \"features[0].fallbacks.amsgrad\" must be a whole number");
  EXPECT_EQ(error("/torch/threads", 4294967296),
            "RESULT.json: \"torch.threads\" must be a number of threads");
  EXPECT_EQ(ParseResult("[]").error, "RESULT.json: must be an object");
  EXPECT_EQ(ParseResult("{}").error, "RESULT.json: \"protocol\" is missing");
  EXPECT_EQ(ParseResult("").error, "RESULT.json is not JSON (near byte 1)");
  EXPECT_NE(error("/protocol", 2).find("install kwker anew"), std::string::npos);
}

TEST(Result, EveryMemberIsRequired) {
  const json whole = Result();
  int removed = 0;
  const json flat = whole.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const json::json_pointer place(pointer);
    const bool in_list = !whole[place.parent_pointer()].is_object();
    if (in_list || pointer == "/features/0/fallbacks/amsgrad" || pointer == "/of a later version") {
      continue;
    }
    json document = whole;
    document[place.parent_pointer()].erase(place.back());
    EXPECT_NE(ParseResult(document.dump()).error.find("is missing"), std::string::npos) << pointer;
    ++removed;
  }
  EXPECT_EQ(removed, 19);
}

// A value of any kind, small ones mostly.
json AnyValue(std::mt19937_64& bits) {
  switch (bits() % 10) {
    case 0:
      return nullptr;
    case 1:
      return bits() % 2 == 0;
    case 2:
      return bits();
    case 3:
      return -static_cast<std::int64_t>(bits() >> 1);
    case 4:
      return 1e300;
    case 5:
      return "\xEF\xB7\x90";
    case 6:
      return json::array({1, "x"});
    case 7:
      return json::object({{"name", 1}});
    case 8:
      return json::array();
    default:
      return "text";
  }
}

// Never a crash and never a line break, whatever a dying child wrote.
void ExpectOneLineOrValue(const std::string& text) {
  const Parsed<ChildResult> result = ParseResult(text);
  EXPECT_EQ(result.value.has_value(), result.error.empty());
  EXPECT_EQ(result.error.find('\n'), std::string::npos);
  const Parsed<ChildRequest> request = ParseRequest(text);
  EXPECT_EQ(request.value.has_value(), request.error.empty());
  EXPECT_EQ(request.error.find('\n'), std::string::npos);
}

TEST(Robustness, CutShort) {
  const std::string whole = Result().dump();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseResult(whole.substr(0, length)));
  }
}

TEST(Robustness, BytesChanged) {
  std::mt19937_64 bits(1);
  const std::vector<std::string> wholes = {Result().dump(), SerializeRequest(Request())};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = wholes[bits() % 2];
    for (int change = 0; change <= round % 4; ++change) {
      const std::size_t at = bits() % text.size();
      switch (bits() % 4) {
        case 0:
          text[at] = static_cast<char>(bits());
          break;
        case 1:
          text.erase(at, bits() % 8);
          break;
        case 2:
          text.insert(at, 1, "{}[]\",:\\u0-9e"[bits() % 13]);
          break;
        default:
          text.insert(at, text.substr(bits() % text.size(), bits() % 32));
      }
      if (text.empty()) text = " ";
    }
    ExpectOneLineOrValue(text);
  }
}

TEST(Robustness, ValuesChanged) {
  std::mt19937_64 bits(2);
  const std::vector<json> wholes = {Result(), json::parse(R"({"protocol": 1, "command": ["x.py"],
      "install": false, "features": [], "seed": 1, "record": false, "result": "/r"})")};
  for (int round = 0; round < 20'000; ++round) {
    json document = wholes[bits() % 2];
    const json flat = document.flatten();
    auto chosen = flat.items().begin();
    for (std::size_t skip = bits() % flat.size(); skip > 0; --skip) ++chosen;
    json::json_pointer place(chosen.key());
    for (std::size_t up = bits() % 3; up > 0 && !place.empty(); --up) place.pop_back();
    document[place] = AnyValue(bits);
    ExpectOneLineOrValue(document.dump());
  }
}

TEST(Robustness, DeepNesting) {
  const std::string deep(200'000, '[');
  ExpectOneLineOrValue(deep);
  ExpectOneLineOrValue("{\"protocol\": 1, \"script\": " + deep + std::string(200'000, ']') + "}");
}

}  // namespace
}  // namespace kwker::audit

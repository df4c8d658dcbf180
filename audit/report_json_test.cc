#include "audit/report_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "audit/testing.h"
#include "audit/testing_situations.h"

namespace kwker::audit {
namespace {

using nlohmann::json;
using testing::MakeRun;
using testing::MakeRuns;
using testing::MakeSetup;

const json& Schema() {
  static const json schema = json::parse(std::ifstream("audit/report.schema.json"));
  return schema;
}

std::string TypeName(const json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return value.type_name();
}

// Whether `value` is as `schema` says, for the keywords that the schema in the
// tree uses. Stricter than JSON Schema: members it does not name are errors too,
// so that none is forgotten there.
void Check(const json& value, const json& schema, const std::string& where) {
  if (schema.contains("$ref")) {
    const std::string ref = schema["$ref"];
    return Check(value, Schema().at(json::json_pointer(ref.substr(1))), where);
  }
  if (schema.contains("const")) {
    EXPECT_EQ(value, schema["const"]) << where;
  }
  if (schema.contains("enum")) {
    const json& allowed = schema["enum"];
    EXPECT_NE(std::find(allowed.begin(), allowed.end(), value), allowed.end())
        << where << ": " << value;
  }
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json{schema["type"]};
    const std::string type = TypeName(value);
    const bool fits = std::any_of(types.begin(), types.end(), [&type](const json& allowed) {
      return allowed == type || (allowed == "number" && type == "integer");
    });
    EXPECT_TRUE(fits) << where << " is " << type << ", not " << types;
  }
  if (schema.contains("minimum") && value.is_number()) {
    EXPECT_GE(value, schema["minimum"]) << where;
  }
  if (value.is_array() && schema.contains("items")) {
    for (const json& item : value) Check(item, schema["items"], where + "[]");
  }
  if (!value.is_object()) return;
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, item] : value.items()) {
    if (properties.contains(name)) {
      Check(item, properties[name], where + "." + name);
    } else if (schema.contains("additionalProperties")) {
      Check(item, schema["additionalProperties"], where + "." + name);
    } else {
      ADD_FAILURE() << "the schema does not name " << where << "." << name;
    }
  }
  for (const json& name : schema.value("required", json::array())) {
    EXPECT_TRUE(value.contains(name)) << where << " lacks " << name;
  }
}

json Format(const Report& report) {
  const std::string text = FormatJson(report);
  EXPECT_TRUE(text.ends_with("}\n"));
  json document = json::parse(text);
  Check(document, Schema(), "$");
  return document;
}

TEST(FormatJson, NamesThatOthersRelyOn) {
  audit::Setup setup = MakeSetup(5);
  setup.options.gates = {true, 1.2, {}};
  setup.options.seed = 7;
  setup.options.features = {"optim.adamw"};
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  for (RunOutcome& run : runs) run.result->features[0].fallbacks = {{"amsgrad", 2}};
  const json report = Format(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_EQ(report["schema"], "kwker.audit/1");
  EXPECT_EQ(report["verdict"]["speed"], "faster");
  EXPECT_EQ(report["verdict"]["outputs"], "equal");
  EXPECT_NEAR(report["speedup"]["estimate"].get<double>(), 1.38, 0.02);
  EXPECT_LT(report["speedup"]["low"], report["speedup"]["estimate"]);
  EXPECT_GT(report["speedup"]["high"], report["speedup"]["estimate"]);
  EXPECT_EQ(report["speedup"]["pairs"], 5);
  EXPECT_EQ(report["cpu_speedup"]["pairs"], 5);
  EXPECT_EQ(report["outputs"]["count"], 2);
  EXPECT_EQ(report["outputs"]["bytes"], 48);
  EXPECT_EQ(report["outputs"]["first_difference"], nullptr);
  EXPECT_EQ(report["features"][0]["name"], "optim.adamw");
  EXPECT_EQ(report["features"][0]["state"], "on");
  EXPECT_EQ(report["features"][0]["calls"], 240);
  EXPECT_EQ(report["features"][0]["fallbacks"]["amsgrad"], 2);
  ASSERT_EQ(report["runs"].size(), 12u);
  const json& run = report["runs"][3];
  EXPECT_EQ(run["side"], "b");
  EXPECT_EQ(run["order"], 3);
  EXPECT_EQ(run["pair"], 0);
  EXPECT_EQ(run["exit_code"], 0);
  EXPECT_EQ(run["max_rss_bytes"], 815'000'000);
  EXPECT_EQ(run["wall_s"], runs[3].result->wall_s);
  EXPECT_EQ(run["cpu_user_s"], runs[3].result->cpu_user_s);
  EXPECT_EQ(run["cpu_sys_s"], runs[3].result->cpu_sys_s);
  EXPECT_EQ(run["process"]["wall_s"], runs[3].usage.wall_s);
  EXPECT_EQ(report["runs"][0]["warm_up"], true);
  EXPECT_EQ(report["script"]["command"], json({"train.py", "--epochs", "1"}));
  EXPECT_EQ(report["options"]["min_speedup"], 1.2);
}

TEST(FormatJson, OutputsOnceEach) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs[3].result->outputs[1].digest[0] = 'f';
  const json report = Format(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_EQ(report["runs"][0]["outputs"].size(), 2u);
  EXPECT_EQ(report["runs"][0]["outputs_as_in"], nullptr);
  EXPECT_EQ(report["runs"][1]["outputs"], nullptr);
  EXPECT_EQ(report["runs"][1]["outputs_as_in"], 0);
  EXPECT_EQ(report["runs"][3]["outputs"][1]["digest"].get<std::string>()[0], 'f');
  EXPECT_EQ(report["verdict"]["outputs"], "unknown");
  EXPECT_EQ(report["outputs"]["first_difference"], "backward[0]");
}

TEST(FormatJson, EveryEnding) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs[1].end = RunEnd::kSignal;
  runs[1].signal = 11;
  runs[1].result.reset();
  runs[3].end = RunEnd::kExit;
  runs[3].exit_code = 3;
  runs[4].end = RunEnd::kTimeout;
  runs[5].end = RunEnd::kInterrupted;
  runs.push_back(MakeRun({Side::kA, 6, false, -1}, 8));
  for (const Ending ending : {Ending::kRunning, Ending::kCompleted, Ending::kScriptFailed,
                              Ending::kKwkerFailed, Ending::kInterrupted, Ending::kCannotRun}) {
    const json report = Format(MakeReport(setup, runs, ending));
    EXPECT_EQ(report["ending"], Name(ending));
    EXPECT_EQ(report["exit_code"].is_null(), ending == Ending::kRunning);
    EXPECT_EQ(report["runs"][1]["exit_code"], nullptr);
    EXPECT_EQ(report["runs"][1]["signal"], 11);
    EXPECT_EQ(report["runs"][1]["wall_s"], nullptr);
    EXPECT_EQ(report["runs"][3]["exit_code"], 3);
    EXPECT_EQ(report["runs"][4]["end"], "timeout");
    EXPECT_EQ(report["runs"][6]["pair"], nullptr);
  }
  EXPECT_EQ(Format(MakeReport({}, {}, Ending::kInterrupted))["speedup"]["estimate"], nullptr);
}

TEST(FormatJson, WhyOutputsDiffer) {
  const json report = Format(testing::Find("different_and_why"));
  const json& explanation = report["explanation"];
  EXPECT_EQ(explanation["cause"]["found"], "features");
  EXPECT_EQ(explanation["cause"]["features"], json({"optim.adamw"}));
  EXPECT_EQ(explanation["unfinished"], nullptr);
  EXPECT_EQ(explanation["elements"]["output"], "backward[0]");
  EXPECT_EQ(explanation["elements"]["differing"], 2);
  EXPECT_EQ(explanation["elements"]["largest_ulps"], 1);
  ASSERT_EQ(explanation["probes"].size(), 4u);
  const json& probe = explanation["probes"][3];
  EXPECT_EQ(probe["features_off"], json({"optim.adamw"}));
  EXPECT_EQ(probe["differs"], false);
  EXPECT_EQ(probe["run"]["order"], report["runs"].size() + 3);
  EXPECT_EQ(probe["run"]["outputs_as_in"], 0);
  const json unfinished = Format(testing::Find("different_unfinished"));
  EXPECT_EQ(unfinished["explanation"]["cause"]["found"], "unfinished");
  EXPECT_EQ(unfinished["explanation"]["elements"]["largest"], nullptr);
  EXPECT_EQ(Format(testing::Find("different"))["explanation"], nullptr);
}

TEST(FormatJson, EverySituation) {
  for (const testing::Situation& situation : testing::Situations()) Format(situation.make());
}

TEST(FormatJson, IncompleteOutputs) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs[1].result->incomplete = {"x could not be compared"};
  runs[2].result.reset();
  const json report = Format(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_EQ(report["runs"][0]["incomplete"], json::array());
  EXPECT_EQ(report["runs"][1]["incomplete"], json({"x could not be compared"}));
  EXPECT_EQ(report["runs"][1]["outputs_as_in"], 0);
  EXPECT_EQ(report["runs"][2]["incomplete"], json::array());
  EXPECT_EQ(report["verdict"]["outputs"], "unknown");
  EXPECT_EQ(report["outputs"]["deterministic"], true);
  EXPECT_EQ(report["outputs"]["deterministic_with"], true);
}

TEST(FormatJson, WhatTheEnvironmentChanges) {
  audit::Setup setup = MakeSetup(1);
  setup.kwker_environment = {{"KWKER_DISABLE", "optim.sgd"}};
  const json report = Format(MakeReport(setup, {}, Ending::kInterrupted));
  EXPECT_EQ(report["script"]["kwker_environment"]["KWKER_DISABLE"], "optim.sgd");
}

TEST(FormatJson, WhatIsNoNumberIsNull) {
  const audit::Setup setup = MakeSetup(2);
  std::vector<RunOutcome> runs = MakeRuns(setup, 1.38);
  runs[2].usage.wall_s = std::nan("");
  runs[2].result->cpu_user_s = HUGE_VAL;
  const json report = Format(MakeReport(setup, runs, Ending::kCompleted));
  EXPECT_EQ(report["runs"][2]["process"]["wall_s"], nullptr);
  EXPECT_EQ(report["runs"][2]["cpu_user_s"], nullptr);
}

TEST(FormatJson, BytesThatAreNotUtf8) {
  audit::Setup setup = MakeSetup(1);
  setup.command = {"caf\xE9.py"};
  EXPECT_EQ(Format(MakeReport(setup, {}, Ending::kInterrupted))["script"]["command"][0],
            "caf\xEF\xBF\xBD.py");
}

}  // namespace
}  // namespace kwker::audit

#include "audit/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "audit/json_text.h"
#include "audit/json_value.h"
#include "audit/utf8.h"

namespace kwker::audit {
namespace {

using nlohmann::json;

ChildRequest ReadRequest(const Value& document) {
  ChildRequest request;
  request.command = document["command"].Texts();
  document["command"].Require(!request.command.empty(), "a list with a script or -m or -c");
  request.install = document["install"].Bool();
  if (!document["features"].IsNull()) request.features = document["features"].Texts();
  if (!document["seed"].IsNull()) request.seed = document["seed"].Integer();
  request.record = document["record"].Bool();
  if (document.Has("keep") && !document["keep"].IsNull()) {
    const Value keep = document["keep"];
    request.keep = KeepRequest{keep["name"].Text(), keep["file"].Text()};
  }
  request.result = document["result"].Text();
  return request;
}

FeatureCounts ReadFeature(const Value& feature) {
  return {feature["name"].Text(), feature["state"].Text(), feature["calls"].Count(),
          feature["fallbacks"].Counts()};
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

Output ReadOutput(const Value& output) {
  Output read;
  read.name = output["name"].Text();
  read.dtype = output["dtype"].Text();
  read.shape = output["shape"].List([](const Value& size) { return size.Count(); });
  read.bytes = output["bytes"].Count();
  read.nans = output["nans"].Count();
  read.digest = output["digest"].Text();
  output["digest"].Require(
      read.digest.size() == 32 && std::all_of(read.digest.begin(), read.digest.end(), IsHex),
      "32 hexadecimal digits");
  return read;
}

ChildResult ReadResult(const Value& document) {
  ChildResult result;
  const Value script = document["script"];
  result.wall_s = script["wall_s"].Number();
  result.cpu_user_s = script["cpu_user_s"].Number();
  result.cpu_sys_s = script["cpu_sys_s"].Number();
  result.overhead_s = script["overhead_s"].Number();
  result.install_s = script["install_s"].Number();
  result.digest_s = script["digest_s"].Number();
  if (const Value torch = document["torch"]; !torch.IsNull()) {
    result.torch_version = torch["version"].Text();
    result.capability = torch["capability"].Text();
    const std::int64_t threads = torch["threads"].Count();
    torch["threads"].Require(threads <= std::numeric_limits<int>::max(), "a number of threads");
    result.threads = static_cast<int>(threads);
  }
  result.features = document["features"].List(ReadFeature);
  result.outputs = document["outputs"].List(ReadOutput);
  result.warnings = document["warnings"].Texts();
  if (document.Has("incomplete")) result.incomplete = document["incomplete"].Texts();
  return result;
}

template <class T, class Read>
Parsed<T> Parse(std::string_view text, const char* name, Read read) {
  Parsed<json> document = ParseWithBytes(text);
  if (!document) return Parsed<T>::Error(fmt::format("{} {}", name, document.error));
  try {
    const Value value(*document.value, "");
    const std::int64_t version = value["protocol"].Integer();
    if (version != kProtocolVersion) {
      return Parsed<T>::Error(
          fmt::format("{} is of protocol {}, this kwker speaks {}: the program and the Python "
                      "package are of different versions, install kwker anew",
                      name, version, kProtocolVersion));
    }
    return Parsed<T>::Of(read(value));
  } catch (const Malformed& malformed) {
    return Parsed<T>::Error(Printable(fmt::format("{}: {}", name, malformed.why)));
  }
}

}  // namespace

std::string SerializeRequest(const ChildRequest& request) {
  const json features = request.features ? json(*request.features) : json(nullptr);
  const json seed = request.seed ? json(*request.seed) : json(nullptr);
  json keep = nullptr;
  if (request.keep) keep = {{"name", request.keep->name}, {"file", request.keep->file}};
  return DumpWithBytes({{"protocol", kProtocolVersion},
                        {"command", request.command},
                        {"install", request.install},
                        {"features", features},
                        {"seed", seed},
                        {"record", request.record},
                        {"keep", keep},
                        {"result", request.result}}) +
         "\n";
}

Parsed<ChildRequest> ParseRequest(std::string_view text) {
  return Parse<ChildRequest>(text, "REQUEST.json", ReadRequest);
}

Parsed<ChildResult> ParseResult(std::string_view text) {
  return Parse<ChildResult>(text, "RESULT.json", ReadResult);
}

}  // namespace kwker::audit

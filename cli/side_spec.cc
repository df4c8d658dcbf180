#include "cli/side_spec.h"

#include <algorithm>

#include "cli/common_options.h"
#include "cli/usage_error.h"

namespace kwker::cli {
namespace {

constexpr std::int64_t kMostThreads = 4096;

// The parts between commas that no quotes hold, without these quotes. False: a
// quote has no end.
bool Split(const std::string& text, std::vector<std::string>* parts) {
  parts->assign(1, "");
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      parts->back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      parts->emplace_back();
    } else {
      parts->back() += c;
    }
  }
  return !quoted;
}

bool SplitWords(const std::string& text, std::vector<std::string>* words) {
  char quote = 0;
  bool inside = false;  // of a word, that may be empty
  for (const char c : text) {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words->emplace_back();
    inside = true;
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
    } else {
      words->back() += c;
    }
  }
  return quote == 0;
}

std::vector<std::string> SplitNames(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (c == '+') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

void TakeKwker(const std::string& value, const std::string& wrong, SideSpec* spec) {
  if (spec->install) throw UsageError(wrong + ": kwker= is there twice");
  spec->install = value != "off";
  if (value == "on" || value == "off") return;
  spec->features = SplitNames(value);
  if (std::find(spec->features->begin(), spec->features->end(), "") != spec->features->end()) {
    throw UsageError(wrong + ": kwker= takes off, on or names of features joined by +");
  }
}

void TakePart(const std::string& part, const std::string& wrong, SideSpec* spec) {
  const auto value = [&part](const char* name) { return part.substr(std::string(name).size()); };
  if (part.starts_with("kwker=")) {
    TakeKwker(value("kwker="), wrong, spec);
  } else if (part.starts_with("env:")) {
    const std::string assignment = value("env:");
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == assignment.npos) throw UsageError(wrong + ": env:NAME=VALUE");
    const std::string name = assignment.substr(0, equals);
    if (name == "KWKER_INSTALL" || name == "KWKER_FEATURES") {
      throw UsageError(wrong + ": say kwker= instead of env:" + name);
    }
    spec->environment[name] = assignment.substr(equals + 1);
  } else if (part.starts_with("args:")) {
    if (!SplitWords(value("args:"), &spec->args)) {
      throw UsageError(wrong + ": a quote in args has no end");
    }
  } else if (part.starts_with("python:")) {
    spec->python = value("python:");
    if (spec->python.empty()) throw UsageError(wrong + ": python:PATH");
  } else if (part.starts_with("threads:")) {
    std::string count = value("threads:");
    const std::string error = WholeNumber(1, kMostThreads)(count);
    if (!error.empty()) throw UsageError(wrong + ": threads: " + error);
    spec->environment["OMP_NUM_THREADS"] = spec->environment["MKL_NUM_THREADS"] = count;
  } else {
    throw UsageError(wrong + ": '" + part +
                     "' is none of kwker=off|on|FEATURES, env:NAME=VALUE, args:\"...\", "
                     "python:PATH, threads:N");
  }
}

}  // namespace

SideSpec ParseSideSpec(const std::string& text, const std::string& option) {
  const std::string wrong = option + " '" + text + "'";
  std::vector<std::string> parts;
  if (!Split(text, &parts)) throw UsageError(wrong + ": a quote has no end");
  SideSpec spec;
  for (const std::string& part : parts) TakePart(part, wrong, &spec);
  return spec;
}

}  // namespace kwker::cli

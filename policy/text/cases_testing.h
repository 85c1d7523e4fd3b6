// Reads policy/cases/*.txt for the tests of every room that evaluates rules: the same cases hold
// for the server, the SDK and the console's preview. For tests only.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace ferry::text {

struct RuleCase {
  std::string place;  // "versions.txt:12"
  std::string rule, salt;
  std::string printed;  // the whole print of the rule; empty: not said
  std::string device;   // JSON of attributes; empty when `error` is set
  bool matches = false;
  std::string reason;  // a part of it, when it does not match
  std::string error;   // a part of the parser's message; empty: it parses
};

// All cases below `folder`, in the order of files and lines. Lines "rule:", "print:", "salt:",
// "device:", "expect:", "error:"; a blank line ends a block.
inline std::vector<RuleCase> ReadRuleCases(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry);
  std::sort(files.begin(), files.end());
  std::vector<RuleCase> out;
  for (const auto& file : files) {
    std::ifstream in(file);
    RuleCase now;
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.empty()) now = {};
      const size_t colon = line.find(':');
      if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
      const std::string key = line.substr(0, colon);
      const std::string value = line.size() > colon + 2 ? line.substr(colon + 2) : "";
      now.place = file.filename().string() + ":" + std::to_string(number);
      if (key == "rule") now.rule = value;
      if (key == "print") now.printed = value;
      if (key == "salt") now.salt = value;
      if (key == "device") now.device = value;
      if (key == "expect") {
        now.matches = value == "match";
        now.reason = now.matches ? "" : value.substr(std::min<size_t>(4, value.size()));
        out.push_back(now);
      }
      if (key == "error") {
        now.error = value;
        out.push_back(now);
      }
    }
  }
  return out;
}

}  // namespace ferry::text

#include "tools/conformance/list.h"

#include "device-runtime/engine/engine.h"

namespace ferry::conformance {
namespace {

constexpr size_t kMaxListedReason = 160;
constexpr std::string_view kHead =
    "# Cases that fail, each with its reason: name, tab, reason, and, where only some paths fail, "
    "tab "
    "and these.\n"
    "# Tests compare with this list. Made by: onnx_cases CASES --real-models MODELS --write-list "
    "FILE\n";

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string ShortReason(const std::string& reason) {
  return reason.size() <= kMaxListedReason ? reason : reason.substr(0, kMaxListedReason) + "...";
}

bool FailsOn(const ListRow& row, const std::string& path) {
  return row.paths.empty() || row.paths.contains(path);
}

}  // namespace

Result<FailingList> ParseList(std::string_view text) {
  FailingList list;
  int number = 0;
  for (std::string_view line : SplitAt(text, '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const auto columns = SplitAt(line, '\t');
    if (columns.size() < 2 || columns.size() > 3 || columns[0].empty() || columns[1].empty()) {
      return Status::Of(Code::kMalformed, "line {}: not a name, a reason and perhaps paths",
                        number);
    }
    ListRow row{std::string(columns[1]), {}};
    if (columns.size() == 3) {
      for (std::string_view path : SplitAt(columns[2], ',')) row.paths.emplace(path);
    }
    if (!list.emplace(columns[0], std::move(row)).second) {
      return Status::Of(Code::kMalformed, "line {}: '{}' is listed twice", number, columns[0]);
    }
  }
  return list;
}

std::string ListText(const FailingList& list) {
  std::string text(kHead);
  for (const auto& [name, row] : list) {
    text += fmt::format("{}\t{}", name, row.reason);
    if (!row.paths.empty()) text += fmt::format("\t{}", fmt::join(row.paths, ","));
    text += "\n";
  }
  return text;
}

std::vector<std::string> Paths() {
  std::vector<std::string> paths = engine::AvailableIsas();
  paths.insert(paths.begin(), "naive");
  return paths;
}

RunOptions OptionsOf(const std::string& path) {
  RunOptions options;
  options.naive = path == "naive";
  if (!options.naive) options.isa = path;
  return options;
}

FailingList MakeList(const std::map<std::string, std::vector<CaseResult>>& results_of_path,
                     const FailingList& old) {
  FailingList list;
  std::map<std::string, size_t> runs;  // on how many paths a case ran
  for (const auto& [path, results] : results_of_path) {
    for (const CaseResult& result : results) {
      ++runs[result.name];
      if (result.passed) continue;
      ListRow& row = list[result.name];
      row.paths.insert(path);
      const auto before = old.find(result.name);
      if (before != old.end()) row.reason = before->second.reason;
      if (row.reason.empty()) row.reason = ShortReason(result.reason);
    }
  }
  for (auto& [name, row] : list) {
    if (row.paths.size() == runs[name]) row.paths.clear();
  }
  return list;
}

std::string CompareWithList(const FailingList& list, const std::string& path,
                            std::span<const CaseResult> results, std::string_view prefix) {
  std::string changes;
  std::set<std::string_view> seen;
  for (const CaseResult& result : results) {
    seen.insert(result.name);
    const auto row = list.find(result.name);
    const bool listed = row != list.end() && FailsOn(row->second, path);
    if (result.passed && listed) {
      changes += fmt::format("{} passes now on {}: take its row out\n", result.name, path);
    } else if (!result.passed && !listed) {
      changes += fmt::format("{} fails now on {}: repair it, or add the row \"{}\\t{}\"\n",
                             result.name, path, result.name, ShortReason(result.reason));
    }
  }
  for (const auto& [name, row] : list) {
    if (!name.starts_with(prefix) || seen.contains(name)) continue;
    changes += fmt::format("{} is no case any more: take its row out\n", name);
  }
  return changes;
}

}  // namespace ferry::conformance

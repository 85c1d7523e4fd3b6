// The list of cases that are known to fail, which tests compare with.
//
//   # comment
//   NAME <tab> REASON [<tab> PATHS]
//
// Sorted by name. PATHS ("naive,avx2") is there for a case that fails on some paths only.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/conformance/suite.h"

namespace ferry::conformance {

struct ListRow {
  std::string reason;
  std::set<std::string> paths;  // empty: all
};
using FailingList = std::map<std::string, ListRow>;

// kMalformed names the line.
Result<FailingList> ParseList(std::string_view text);
std::string ListText(const FailingList& list);

// The ways to run a case: "naive", then each instruction set that runs here.
std::vector<std::string> Paths();
RunOptions OptionsOf(const std::string& path);

// The list that fits these results of all `paths`; rows that stay keep the reason of `old`, which a
// person may have written.
FailingList MakeList(const std::map<std::string, std::vector<CaseResult>>& results_of_path,
                     const FailingList& old);

// Nothing when the results of `path` are as the list says; else which rows to change, one a line.
// Rows whose names do not start with `prefix` are of another suite; of the rest, one without a
// result is stale.
std::string CompareWithList(const FailingList& list, const std::string& path,
                            std::span<const CaseResult> results, std::string_view prefix);

}  // namespace ferry::conformance

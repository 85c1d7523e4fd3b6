// The lines that `ferry stream run` and `replay` write for what happened.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pipeline/flow/flow.h"

namespace ferry::cli {

// The line of an event by its number; nullopt: it has none (it was a row of a stream).
using LineOf = std::function<std::optional<uint64_t>(uint64_t number)>;

// {"kind":"match","rule","key","steps":{name:[line]},"time_ms"}
void AppendMatch(const flow::LeavingMatch& match, const LineOf& line_of, std::string* out);
// {"kind":"row","stream","row","time_ms"}; `json` is the text of the row.
void AppendRow(const flow::LeavingRow& row, std::string_view json, std::string* out);
// {"kind":"drop","line","why"}
void AppendDrop(uint64_t line, const Status& why, std::string* out);

// Calls `row` and `match` for what `effects` has of them, in the order in which it happened.
void ForEachEffect(const flow::Effects& effects,
                   const std::function<void(const flow::LeavingRow&)>& row,
                   const std::function<void(const flow::LeavingMatch&)>& match);

}  // namespace ferry::cli

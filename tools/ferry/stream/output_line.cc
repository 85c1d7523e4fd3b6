#include "tools/ferry/stream/output_line.h"

#include <fmt/format.h>

#include <iterator>

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::cli {

// Names are of letters, digits and a few signs (event::CheckName), and need no escapes.
void AppendMatch(const flow::LeavingMatch& left, const LineOf& line_of, std::string* out) {
  const rule::Rule& rule = *left.rule;
  const auto to = std::back_inserter(*out);
  fmt::format_to(to, R"({{"kind":"match","rule":"{}","key":{},"steps":{{)", rule.name,
                 left.match.key);
  bool first = true;
  for (size_t k = 0; k < left.match.steps() && k < rule.steps.size(); ++k) {
    const auto events = left.match.step(k);
    if (events.empty()) continue;
    fmt::format_to(to, R"({}"{}":[)", first ? "" : ",", rule.steps[k].name);
    first = false;
    for (size_t n = 0; n < events.size(); ++n) {
      if (n > 0) *out += ',';
      const std::optional<uint64_t> line = line_of(events[n]->number);
      if (line)
        fmt::format_to(to, "{}", *line);
      else
        *out += "null";
    }
    *out += ']';
  }
  fmt::format_to(to, "}},\"time_ms\":{}}}\n", left.match.time_ms);
}

void AppendRow(const flow::LeavingRow& row, std::string_view json, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "{{\"kind\":\"row\",\"stream\":\"{}\",\"row\":{},\"time_ms\":{}}}\n",
                 row.output.stream, json, row.output.row.time_ms);
}

void AppendDrop(uint64_t line, const Status& why, std::string* out) {
  *out += WriteJson({{"kind", "drop"}, {"line", line}, {"why", why.ToString()}});
  *out += '\n';
}

void ForEachEffect(const flow::Effects& effects,
                   const std::function<void(const flow::LeavingRow&)>& row,
                   const std::function<void(const flow::LeavingMatch&)>& match) {
  size_t at_row = 0;
  for (const flow::LeavingMatch& one : effects.matches) {
    for (; at_row < effects.rows.size() && effects.rows[at_row].place < one.place; ++at_row)
      row(effects.rows[at_row]);
    match(one);
  }
  for (; at_row < effects.rows.size(); ++at_row) row(effects.rows[at_row]);
}

}  // namespace ferry::cli

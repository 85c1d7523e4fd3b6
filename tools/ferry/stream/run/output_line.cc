#include "tools/ferry/stream/run/output_line.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::cli {

namespace {

template <typename Number>
void AppendNumber(Number value, std::string* out) {
  char digits[24];
  out->append(digits, std::to_chars(digits, std::end(digits), value).ptr);
}

}  // namespace

// Names are of letters, digits and a few signs (event::CheckName), and need no escapes. There may
// be several matches an event: nothing here formats.
void AppendMatch(const flow::LeavingMatch& left, const LineOf& line_of, std::string* out) {
  const rule::Rule& rule = *left.rule;
  out->append("{\"kind\":\"match\",\"rule\":\"").append(rule.name);
  out->append("\",\"key\":").append(left.match.key).append(",\"steps\":{");
  bool first = true;
  for (size_t k = 0; k < left.match.steps() && k < rule.steps.size(); ++k) {
    const auto events = left.match.step(k);
    if (events.empty()) continue;
    out->append(first ? "\"" : ",\"").append(rule.steps[k].name).append("\":[");
    first = false;
    for (size_t n = 0; n < events.size(); ++n) {
      if (n > 0) *out += ',';
      const std::optional<uint64_t> line = line_of(events[n]->number);
      if (line)
        AppendNumber(*line, out);
      else
        *out += "null";
    }
    *out += ']';
  }
  out->append("},\"time_ms\":");
  AppendNumber(left.match.time_ms, out);
  *out += "}\n";
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

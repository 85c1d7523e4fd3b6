#include "pipeline/privacy/operators.h"

#include <algorithm>

#include "pipeline/expression/expression.h"

namespace ferry::privacy {
namespace {

std::string TextOf(const Json& spec, std::string_view member, const char* fallback = "") {
  return GetStringOr(spec, member, fallback).value_or("");
}

std::vector<std::string> KeyOf(const Json& spec) {
  return GetStringsOr(spec, "key").value_or({});
}

Marks Joined(const Marks& a, const Marks& b) {
  Marks out = a;
  out.insert(b.begin(), b.end());
  return out;
}

// A value that an expression makes of the row.
Taint ValueOf(const std::string& text, const Taint& row) {
  Taint out;
  const auto parsed = expression::Expression::Parse(text);
  if (!parsed.ok()) return out;
  const std::vector<expression::FieldUse> uses = parsed->Carried();
  // A plain field keeps its structure.
  if (uses.size() == 1 && parsed->Canonical().starts_with('.')) return row.Below(uses[0].path);
  for (const expression::FieldUse& use : uses) out.Add(Path{}, row.At(use.path));
  return out;
}

Taint ThroughMap(const Json& spec, const Taint& row, const Reach&) {
  Taint out;
  const auto fields = spec.find("fields");
  if (fields == spec.end() || !fields->is_object()) return out;
  for (const auto& [name, text] : fields->items())
    if (text.is_string()) out.Add(ValueOf(text, row), {name});
  return out;
}

Taint ThroughFlatMap(const Json& spec, const Taint& row, const Reach&) {
  const std::string field = TextOf(spec, "field"), as = TextOf(spec, "as");
  Taint out = row;
  out.Erase(field);
  const Path path = {field};
  const Taint items = row.Below(path);
  if (!as.empty()) {
    out.Add(items, {as});
    return out;
  }
  // Members of items get among the fields, an item that is no object stands in the list's place.
  out.Add(items);
  return out;
}

// Count, distinct, mean and sum tell of all rows together; the others give one row's value as it
// is.
bool JoinsRows(std::string_view aggregate) {
  return aggregate == "count" || aggregate == "distinct" || aggregate == "mean" ||
         aggregate == "sum";
}

Marks AggregateMarks(const Json& window, const Json& aggregate, const Taint& row,
                     const Reach& reach) {
  const std::string op = TextOf(aggregate, "op");
  if (op == "count") return {};
  const Path field = {TextOf(aggregate, "field")};
  Marks marks = row.At(field);
  if (!JoinsRows(op) || TextOf(window, "emit", "final") != "final") return marks;
  const int64_t rows = GetIntOr(window, "min_rows", 1).value_or(1);
  std::erase_if(marks, [&](size_t mark) { return rows >= reach.least_rows[mark]; });
  return marks;
}

Taint ThroughWindow(const Json& spec, const Taint& row, const Reach& reach) {
  Taint out;
  for (const std::string& name : KeyOf(spec)) out.Add(row.Below(Path{name}), {name});
  if (TextOf(spec, "kind", "tumbling") == "page") out.Add(Path{"page"}, row.At(Path{"_page"}));
  const auto aggregates = spec.find("aggregates");
  if (aggregates == spec.end() || !aggregates->is_array()) return out;
  for (const Json& one : *aggregates)
    out.Add(Path{TextOf(one, "as")}, AggregateMarks(spec, one, row, reach));
  return out;
}

// The other row comes under `as`; of equal keys each tells the other.
Taint ThroughJoin(const Json& spec, const Taint& row, const Reach& reach) {
  const std::string with = TextOf(spec, "with"), as = TextOf(spec, "as", with.c_str());
  const Taint other = reach.sources(with);
  Taint out = row;
  out.Add(other, {as});
  for (const std::string& name : KeyOf(spec)) {
    const Marks both = Joined(row.At(Path{name}), other.At(Path{name}));
    out.Add(Path{name}, both);
    out.Add(Path{as, name}, both);
  }
  return out;
}

// What is found tells what was looked for.
Taint ThroughLookup(const Json& spec, const Taint& row, const Reach& reach) {
  const std::string table = TextOf(spec, "table"), as = TextOf(spec, "as", table.c_str());
  Taint out = row;
  out.Add(reach.tables(table), {as});
  for (const std::string& name : KeyOf(spec)) out.Add(Path{as}, row.At(Path{name}));
  return out;
}

Taint ThroughGate(const Json&, const Taint& row, const Reach&) {
  return row;
}

struct Way {
  std::string_view op;
  Taint (*through)(const Json&, const Taint&, const Reach&);
};
constexpr Way kWays[] = {{"dedupe", ThroughGate},      {"filter", ThroughGate},
                         {"flat_map", ThroughFlatMap}, {"join", ThroughJoin},
                         {"lookup", ThroughLookup},    {"map", ThroughMap},
                         {"sample", ThroughGate},      {"window", ThroughWindow}};

}  // namespace

Taint ThroughOperator(const Json& spec, const Taint& row, const Reach& reach) {
  const std::string op = TextOf(spec, "op");
  for (const Way& way : kWays)
    if (way.op == op) return way.through(spec, row, reach);
  // An operator that is not known here may put anything anywhere.
  Taint out;
  for (const auto& [path, marks] : row.all()) out.Add(Path{}, marks);
  return out;
}

}  // namespace ferry::privacy

#include "common/base/json.h"
#include "device-runtime/ir/program.h"
#include "device-runtime/ops/op.h"
#include "tools/ferry/engine/commands.h"
#include "tools/ferry/engine/op_primitives.h"

namespace ferry::cli {
namespace {

constexpr const char* kBackend = "cpu";  // runs every primitive, and is the only one here

// How an operator runs. Where it has several forms, the one that plans take first.
std::string FormOf(const ops::Op& op) {
  if (op.lower != nullptr) return "planned";
  if (op.expand != nullptr) return "expanded";
  return op.infer != nullptr ? "planned" : "evaluated";
}

Json Counts(int low, int high) {
  return {low, high >= ops::kAnyCount ? Json() : Json(high)};
}

std::string CountText(int low, int high) {
  if (high >= ops::kAnyCount) return fmt::format("{}+", low);
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

struct OpTotals {
  std::map<std::string, int> forms = {{"planned", 0}, {"expanded", 0}, {"evaluated", 0}};
  int hosts = 0;    // of which a case is a function of texts or tables
  int unknown = 0;  // without a case that tells
  std::set<std::string> primitives;
};

void AddRow(const ops::Op& op, const std::set<std::string>* primitives, OpTotals& totals,
            Output& out) {
  const std::string form = FormOf(op);
  ++totals.forms[form];
  Json json = {{"name", op.name},
               {"form", form},
               {"primitives", nullptr},
               {"pure", op.is_pure},
               {"inputs", Counts(op.min_inputs, op.max_inputs)},
               {"outputs", Counts(op.min_outputs, op.max_outputs)}};
  std::string text = form == "evaluated" ? "-" : "?";
  if (primitives != nullptr) {
    json["primitives"] = *primitives;
    text = fmt::format("{}", fmt::join(*primitives, " "));
    if (primitives->contains("host")) ++totals.hosts;
    totals.primitives.insert(primitives->begin(), primitives->end());
  } else if (form != "evaluated") {
    ++totals.unknown;
  }
  out.json()["operators"].push_back(std::move(json));
  out.text += fmt::format("{:<28} {:<10} {:>6} {:>7}  {}\n", op.name, form,
                          CountText(op.min_inputs, op.max_inputs),
                          CountText(op.min_outputs, op.max_outputs), text);
}

}  // namespace

Result<Output> ListOps() {
  const auto primitives = PrimitivesOfOps();
  Output out;
  OpTotals totals;
  out.json()["operators"] = Json::array();
  out.text = fmt::format(
      "{:<28} {:<10} {:>6} {:>7}  {}\n", "operator", "form", "inputs", "outputs",
      "primitives (map: an element-wise function, host: texts and tables; ?: no case tells)");
  for (const ops::Op* op : ops::AllOps()) {
    const auto found = primitives.find(std::string(op->name));
    AddRow(*op, found == primitives.end() ? nullptr : &found->second, totals, out);
  }
  out.json()["counts"] = totals.forms;
  out.json()["counts"]["hosts"] = totals.hosts;
  out.json()["counts"]["unknown"] = totals.unknown;
  out.json()["counts"]["primitives"] = totals.primitives.size();
  out.json()["primitives"] = totals.primitives;
  out.text += fmt::format(
      "{} operators: {} planned, {} expanded, {} evaluated; {} primitives: {}\n"
      "{} operators run on the host in some case, {} are not known\n",
      out.json()["operators"].size(), totals.forms["planned"], totals.forms["expanded"],
      totals.forms["evaluated"], totals.primitives.size(), fmt::join(totals.primitives, " "),
      totals.hosts, totals.unknown);
  return out;
}

Result<Output> ListPrimitives() {
  auto cases = CasesOfPrimitives();
  for (const char* name : ir::PrimitiveNames()) {
    const auto first = cases.lower_bound({name, ""});
    if (first == cases.end() || first->first.first != name) cases[{name, ""}] = 0;
  }
  Output out;
  Json rows = Json::array();
  out.text = fmt::format("{:<18} {:<6} {:<8} {:>6}\n", "primitive", "dtype", "backend", "cases");
  for (const auto& [key, count] : cases) {
    const auto& [primitive, dtype] = key;
    rows.push_back({{"primitive", primitive},
                    {"dtype", dtype.empty() ? Json() : Json(dtype)},
                    {"backend", kBackend},
                    {"cases", count}});
    out.text += fmt::format("{:<18} {:<6} {:<8} {:>6}\n", primitive, dtype.empty() ? "-" : dtype,
                            kBackend, count);
  }
  out.json() = {{"primitives", std::move(rows)}};
  return out;
}

}  // namespace ferry::cli

#include "tools/ferry/stream/bounds.h"

#include <algorithm>

#include "pipeline/event/event.h"
#include "pipeline/operator/operator.h"

namespace ferry::cli {
namespace {

// What the matcher needs for a begun match and for one of its positions, with what the allocator
// adds.
constexpr uint64_t kRunBytes = 64, kPositionBytes = 96;
// Of a pane or a held row beside its values.
constexpr uint64_t kPaneBytes = 128, kHeldBytes = 96;
constexpr uint64_t kExactSumBytes = 640, kDistinctBytes = 16 << 10, kQuantileBytes = 8 << 10;
constexpr uint64_t kTopValues = 1024;
constexpr int64_t kDefaultDedupeKeys = 10'000;

uint64_t BytesOfAggregate(const std::string& op) {
  if (op == "count") return 8;
  if (op == "sum" || op == "mean") return kExactSumBytes;
  if (op == "distinct") return kDistinctBytes;
  if (op == "quantile") return kQuantileBytes;
  if (op == "top_k") return kTopValues * (operators::kMaxKeyBytes + 16);
  return operators::kMaxValueBytes;
}

void AddOperator(const Json& op, StreamBound* bound) {
  const std::string name = GetStringOr(op, "op", "").value_or("");
  uint64_t states = 0, each = 0;
  if (name == "window") {
    states = operators::kMaxOpenPanes;
    each = kPaneBytes + operators::kMaxKeyBytes;
    if (const auto list = op.find("aggregates"); list != op.end() && list->is_array())
      for (const Json& one : *list)
        each += BytesOfAggregate(GetStringOr(one, "op", "").value_or(""));
  } else if (name == "join") {
    states = 2 * operators::kMaxHeldRows;
    each = kHeldBytes + event::kMaxRowBytes;
  } else if (name == "dedupe") {
    states = static_cast<uint64_t>(
        std::max<int64_t>(GetIntOr(op, "max_keys", kDefaultDedupeKeys).value_or(0), 0));
    each = kHeldBytes + operators::kMaxKeyBytes;
  } else if (name == "sample") {
    states = 1;
    each = 8;
  }
  bound->states += states;
  bound->bytes += states * each;
}

}  // namespace

RuleBound BoundOf(const rule::Rule& rule) {
  RuleBound out;
  uint64_t positions = 0;
  for (const rule::Step& step : rule.steps) {
    out.states += step.negated ? 1 : step.most;
    positions += step.negated ? 0 : step.most;
  }
  out.keys = rule.per.empty() ? 1 : rule.max_keys;
  out.runs = out.keys * rule.max_runs;
  out.events = out.runs * positions;
  out.bytes = out.runs * kRunBytes + out.events * kPositionBytes;
  return out;
}

StreamBound BoundOf(const Json& stream) {
  StreamBound out;
  const auto operators = stream.find("operators");
  if (operators == stream.end() || !operators->is_array()) return out;
  for (const Json& op : *operators) AddOperator(op, &out);
  return out;
}

}  // namespace ferry::cli

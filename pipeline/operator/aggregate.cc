#include "pipeline/operator/aggregate.h"

#include "pipeline/operator/aggregates/make.h"

namespace ferry::operators {
namespace {

struct AggregateRow {
  std::string_view name;
  bool needs_field;
  std::unique_ptr<Aggregate> (*make)();
};
constexpr AggregateRow kRows[] = {
#define FERRY_AGGREGATE(Name, text, needs_field) {text, needs_field, Make##Name},
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE
};

}  // namespace

std::unique_ptr<Aggregate> MakeAggregate(std::string_view name) {
  for (const AggregateRow& row : kRows)
    if (row.name == name) return row.make();
  return nullptr;
}

bool AggregateNeedsField(std::string_view name) {
  for (const AggregateRow& row : kRows)
    if (row.name == name) return row.needs_field;
  return false;
}

std::vector<std::string_view> AggregateNames() {
  std::vector<std::string_view> out;
  for (const AggregateRow& row : kRows) out.push_back(row.name);
  return out;
}

}  // namespace ferry::operators

// The makers of all aggregates, one a row of list.inc.
#pragma once

#include <new>

#include "pipeline/operator/aggregate.h"

namespace ferry::operators {

using AggregateMaker = AggregateKind (*)();

// ---- none: each is defined in the file of its row of list.inc
#define FERRY_AGGREGATE(Name, text, takes) AggregateKind Make##Name();
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE

// The kind of class T, which is made of a spec; name and what it takes come from list.inc.
template <typename T>
AggregateKind KindOf() {
  static_assert(alignof(T) <= kAggregateAlign);
  return {"", Takes::kAny, sizeof(T),
          [](const AggregateSpec& spec, void* at) -> Aggregate* { return new (at) T(spec); }};
}

}  // namespace ferry::operators

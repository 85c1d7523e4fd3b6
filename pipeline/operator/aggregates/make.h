// The makers of all aggregates, one a row of list.inc.
#pragma once

#include "pipeline/operator/aggregate.h"

namespace ferry::operators {

#define FERRY_AGGREGATE(Name, text, needs_field) std::unique_ptr<Aggregate> Make##Name();
#include "pipeline/operator/aggregates/list.inc"
#undef FERRY_AGGREGATE

}  // namespace ferry::operators

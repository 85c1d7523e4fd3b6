// The makers of all operators, one a row of list.inc; each reads its part of the spec.
#pragma once

#include "pipeline/operator/operator.h"

namespace ferry::operators {

// ---- none: each is defined in the file of its row of list.inc
#define FERRY_OPERATOR(Name, text) \
  Result<std::unique_ptr<Operator>> Make##Name(const Json& spec, const Surroundings& around);
#include "pipeline/operator/operators/list.inc"
#undef FERRY_OPERATOR

}  // namespace ferry::operators

// The makers of all operators, one a row of list.inc; each reads its part of the spec.
#pragma once

#include <initializer_list>

#include "pipeline/operator/operator.h"

namespace ferry::operators {

#define FERRY_OPERATOR(Name, text) Result<std::unique_ptr<Operator>> Make##Name(const Json& spec);
#include "pipeline/operator/operators/list.inc"
#undef FERRY_OPERATOR

// kMalformed for a member that is not among `known`.
Status CheckMembers(const Json& object, std::initializer_list<std::string_view> known);

}  // namespace ferry::operators

// What must hold of groups before one is stored, named or deleted. Private to admin.
#pragma once

#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"

namespace ferry::server {

// The rule (empty: a fixed list) of `name` among the groups that are there, itself replaced or new:
// it parses and names fixed lists only, and no rule names it if it has one itself. kBadRule,
// kLimitExceeded.
Status CheckGroupRule(Transaction& tx, const std::string& name, const std::string& rule);

// kFailedPrecondition names the group or the open release whose rule names `name`: without it they
// would match nobody.
Status CheckGroupUnused(Transaction& tx, const std::string& name);

// Whether every group that the plan (as PlanFromJson reads it) names is there: kNotFound names the
// one that is not. A plan that does not parse passes: its own error says more.
Status CheckGroupsOfPlan(Store& store, const Json& plan);

}  // namespace ferry::server

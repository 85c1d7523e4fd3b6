// Whether a call may go on: the caller's role, then its scope.
// ---- guard.cc
#pragma once

#include "cloud-server/admin/rights/rights.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {

// kPermissionDenied names the role that is wanted.
Status CheckRole(const Call& call, const RouteRight& right);
// After the body was read: kPermissionDenied names the package, release, device or tag that is out
// of scope. `package` becomes that of the call, where it has one. What does not exist is left to
// the call itself.
Status CheckTarget(const Call& call, const RouteRight& right, std::string* package);

}  // namespace ferry::server

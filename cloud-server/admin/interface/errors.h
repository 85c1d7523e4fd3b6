// Where in a call an error is: which member, and in a rule which line and column. Private to admin.
// ---- errors.cc
#pragma once

#include <string>

#include "cloud-server/admin/http.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::server {

// {"field"?,"line"?,"column"?} as the contexts of the message tell: "stage 2: who: line 1, column
// 5: .." is in the field stages[1].who. A context is a field when the first one is a member of
// `given`, the body or the query; a missing one is told by its name.
Json PlaceOf(const std::string& message, const Json& given);

// ErrorResponse with those members, and "next": what the caller may do about it. Where `next` is
// empty, what the code says ("login", "reload"), if anything.
HttpResponse ErrorAt(const Status& status, const HttpRequest& request, const Json& body,
                     const std::string& next = {});

}  // namespace ferry::server

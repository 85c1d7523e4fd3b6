// Targets, be they one document or spread over bins, on their way to a server and from it.
#pragma once

#include "common/base/json.h"
#include "common/trust/documents/bins/spread.h"
#include "tools/ferry/remote/api.h"

namespace ferry::cli {

// The body of POST /api/v1/packages, without content keys: of bins those that were signed together
// with the document above them, or `all`.
Json BodyOf(const trust::TargetsDocuments& documents, bool all = false);
// Sends a body. kUnsupported for targets in bins and a server from before there were any.
Result<Json> PostTargets(const Api& api, const Json& body);

// The newest targets of the server, unchecked; of those bins that `held` has in the same version
// they are taken from there. kNotFound: it has none.
Result<trust::TargetsDocuments> TargetsOfServer(const Api& api,
                                                const trust::TargetsDocuments& held);

}  // namespace ferry::cli

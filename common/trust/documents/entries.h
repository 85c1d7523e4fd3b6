// The entries of targets and of a bin. Private to trust.
#pragma once

#include "common/trust/targets.h"

namespace ferry::trust {

// The member "targets" of a signed part. FromJson: kLimitExceeded; kMalformed names the path, and a
// path that is not the one that its entry's members give.
Json EntriesToJson(const TargetMap& entries);
Result<TargetMap> EntriesFromJson(const Json& signed_part);

}  // namespace ferry::trust

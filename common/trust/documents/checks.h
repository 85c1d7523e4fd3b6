// What TrustedSet checks of each document. Private to trust.
#pragma once

#include "common/trust/snapshot.h"

namespace ferry::trust {

// kExpired, kVersionRollback below `trusted`, each naming the role.
Status CheckExpiry(std::string_view role, int64_t version, int64_t expires_ms, int64_t now_ms);
Status CheckNotOlder(std::string_view role, int64_t version, int64_t trusted);
// kCorruptContent unless `document` is the bytes that `wanted` describes: against mix-and-match and
// endless data.
Status CheckBytes(std::string_view role, ByteView document, const MetaFile& wanted);
// The version inside must be the one that the role above named: kVersionRollback, kMalformed.
Status CheckVersionNamed(std::string_view role, int64_t version, int64_t named);

}  // namespace ferry::trust

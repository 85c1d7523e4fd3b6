// What may still be done when metadata is past its expiry.
// ---- documents/fresh.cc
#pragma once

#include "common/trust/trusted_set.h"

namespace ferry::trust {

enum class Purpose {
  kInstall,  // a version that is not lower than what ran
  kGoBack,   // the signed fallback of the running version
  kStop,     // disabled or absent: less runs than before
};

// Whether `set` is fresh enough for `purpose` under an assignment or desired state that is itself
// signed and not expired. kExpired, kFailedPrecondition name the role.
//
// An expiry guards against a freeze: being kept on old documents while new ones are hidden.
// kInstall needs the whole chain fresh. kGoBack may have targets past their expiry, when the fresh
// snapshot says that these are still the newest: what offline keys signed there was seen while it
// held, and there is nothing newer to be kept from. kStop needs nothing of the chain: it brings
// nothing in, and whoever could forge it has the director's key and the line.
Status CheckFreshFor(const TrustedSet& set, Purpose purpose, int64_t now_ms);

}  // namespace ferry::trust

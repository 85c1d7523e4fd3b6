// The one package of an assignment, as servers of the first release send them, as a desired state.
#pragma once

#include "common/trust/desired.h"
#include "common/trust/targets.h"

namespace ferry::agent {

// Every assignment is another attempt. Errors, all of them for good: kMalformed when it names no
// target, kNotAuthorizedTarget when offline keys signed none of them, or they are of two packages:
// one's versions would be compared with what runs of the other. kNone wants nothing: no package.
Result<trust::Desired> DesiredOf(const trust::Targets& targets,
                                 const trust::Assignment& assignment);

}  // namespace ferry::agent

// What an operator does to a release leaves no row in the audit log. See Sim::DoAct.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

extern const Plant kAuditForgottenPlant = {"audit_forgotten", "commands leave no audit row",
                                           "audit_chain", nullptr, nullptr};

}  // namespace ferry::fleetsim

// ferry rollback.
#include "tools/ferry/remote/release_action.h"

namespace ferry::cli {

void AddRollbackCommand(Commands& commands) {
  AddReleaseAction(commands, "rollback",
                   "send every device of the release back to its signed fallback",
                   "ferry rollback r1 --why \"accuracy looks wrong\"");
}

}  // namespace ferry::cli

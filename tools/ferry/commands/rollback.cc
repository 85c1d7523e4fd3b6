// ferry rollback.
#include "tools/ferry/remote/release_action.h"

namespace ferry::cli {

void AddRollbackCommand(Commands& commands) {
  AddReleaseAction(commands, nullptr, "rollback",
                   "send every device of the release back to what it had",
                   "ferry rollback r1 --why \"accuracy looks wrong\"");
}

}  // namespace ferry::cli

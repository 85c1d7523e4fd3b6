// ferry pause.
#include "tools/ferry/remote/release_action.h"

namespace ferry::cli {

void AddPauseCommand(Commands& commands) {
  AddReleaseAction(commands, nullptr, "pause",
                   "stop the release from reaching more devices; those that have it keep it",
                   "ferry pause r1 --why \"accuracy looks wrong\"");
}

}  // namespace ferry::cli

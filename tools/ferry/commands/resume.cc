// ferry resume.
#include "tools/ferry/remote/release_action.h"

namespace ferry::cli {

void AddResumeCommand(Commands& commands) {
  AddReleaseAction(commands, nullptr, "resume",
                   "let a paused release go on, or approve a stage that waits",
                   "ferry resume r1 --why \"the labels were late\"");
}

}  // namespace ferry::cli

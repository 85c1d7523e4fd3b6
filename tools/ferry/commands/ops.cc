// ferry ops.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddOpsCommand(Commands& commands) {
  commands.Add(nullptr, "ops", "list the operators and what they come down to", "ferry ops --json",
               [](const GlobalOptions&) { return ListOps(); });
}

}  // namespace ferry::cli

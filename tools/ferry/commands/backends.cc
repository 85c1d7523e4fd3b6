// ferry backends.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddBackendsCommand(Commands& commands) {
  commands.Add(nullptr, "backends", "list the devices that can run models here",
               "ferry backends --json", [](const GlobalOptions&) { return ListBackends(); });
}

}  // namespace ferry::cli

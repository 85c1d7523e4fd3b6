// ferry ops.
#include "tools/ferry/engine/commands.h"

namespace ferry::cli {

void AddOpsCommand(Commands& commands) {
  const auto primitives = std::make_shared<bool>(false);
  CLI::App* ops = commands.Add(
      nullptr, "ops", "list the operators and what they come down to",
      "ferry ops --json\n  ferry ops --primitives",
      [primitives](const GlobalOptions&) { return *primitives ? ListPrimitives() : ListOps(); });
  ops->add_flag("--primitives", *primitives,
                "primitives by dtype and backend, and how many of the operators' cases use each");
}

}  // namespace ferry::cli

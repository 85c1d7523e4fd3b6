// ferry collect: lets go of what was kept long enough.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/upkeep.h"

namespace ferry::cli {

void AddCollectCommand(Commands& commands) {
  const auto dry_run = std::make_shared<bool>(false);
  CLI::App* collect = commands.AddOnline(
      nullptr, "collect",
      "let go now of rows past their limits and of content that no package names",
      "ferry collect --dry-run", [dry_run](const GlobalOptions& global) -> Result<Output> {
        FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
        FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/collect", {{"dry_run", *dry_run}}));
        std::string text = CollectText(answer);
        return Output{std::move(answer), std::move(text)};
      });
  collect->add_flag("--dry-run", *dry_run, "say what there is and drop nothing");
}

}  // namespace ferry::cli

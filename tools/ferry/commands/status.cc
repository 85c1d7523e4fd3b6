// ferry status: the server at a glance, or one release.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/upkeep.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

Result<Output> ShowStatus(const std::string& release, const GlobalOptions& global) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  if (!release.empty()) {
    FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, release));
    FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/releases/" + PathPart(id)));
    std::string text = ReleaseText(answer);
    return Output{std::move(answer), std::move(text)};
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/status"));
  std::string text = fmt::format("{} version {}: {} devices, {} packages, metadata {}\n", api.url(),
                                 Field(answer, "version"), Field(answer, "devices"),
                                 Field(answer, "packages"), Field(answer, "metadata"));
  text += RecordsText(answer);
  FERRY_ASSIGN_OR_RETURN(const Json* releases, GetArrayOrNull(answer, "releases"));
  if (releases != nullptr) text += ReleasesText(*releases);
  text += UpkeepText(answer);
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddStatusCommand(Commands& commands) {
  const auto release = std::make_shared<std::string>();
  CLI::App* status = commands.AddOnline(
      nullptr, "status", "the server at a glance, or one release", "ferry status r1",
      [release](const GlobalOptions& global) { return ShowStatus(*release, global); });
  status->add_option("release", *release, "a release; the whole server when left out");
}

}  // namespace ferry::cli

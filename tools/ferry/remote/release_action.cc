#include "tools/ferry/remote/release_action.h"

#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

struct ActionOptions {
  std::string id, why, device;
};

Result<Output> Act(const GlobalOptions& global, const std::string& name,
                   const ActionOptions& options) {
  FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
  FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, options.id));
  FERRY_ASSIGN_OR_RETURN(const std::string device, DeviceId(api, options.device));
  Json body = Json::object();
  if (!options.why.empty()) body["why"] = options.why;
  if (!device.empty()) body["device"] = device;
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Post(fmt::format("/releases/{}/{}", PathPart(id), name), body));
  std::string text = ReleaseLine(answer);
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddReleaseAction(Commands& commands, CLI::App* group, const std::string& name,
                      const std::string& what, const std::string& example) {
  const auto options = std::make_shared<ActionOptions>();
  CLI::App* command = commands.AddOnline(
      group, name, what, example,
      [name, options](const GlobalOptions& global) { return Act(global, name, *options); });
  command->add_option("id", options->id, "the release")->required();
  command->add_option("--why", options->why, "the reason, kept in the release's history");
  if (name == "retry") command->add_option("--device", options->device, "only this device");
}

}  // namespace ferry::cli

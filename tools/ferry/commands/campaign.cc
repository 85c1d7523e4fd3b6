// ferry campaign: several releases in order, as one thing.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/campaign_views.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/list.h"
#include "tools/ferry/remote/stages.h"

namespace ferry::cli {
namespace {

struct CampaignOptions {
  std::string id, file, why;
};

Result<std::string> CampaignPath(const CampaignOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, CampaignId(api, options.id));
  return "/campaigns/" + PathPart(id);
}

Result<Output> StartCampaign(const CampaignOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json body, JsonFile(options.file));
  if (!body.is_object())
    return Status::Of(Code::kMalformed, "{}: a campaign is a JSON object", options.file);
  if (!options.why.empty()) body["why"] = options.why;
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/campaigns", body));
  std::string text = CampaignText(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> ListCampaigns(const CampaignOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, GetList(api, "/campaigns", "campaigns"));
  FERRY_ASSIGN_OR_RETURN(const Json* campaigns, GetArray(answer, "campaigns"));
  std::string text = CampaignsText(*campaigns);
  return Output{std::move(answer), text.empty() ? "no campaigns yet\n" : std::move(text)};
}

Result<Output> ShowCampaign(const CampaignOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, CampaignPath(options, api));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(path));
  std::string text = CampaignText(answer);
  return Output{std::move(answer), std::move(text)};
}

void AddOrder(Commands& commands, CLI::App* group, const std::string& name, const char* what) {
  const auto options = std::make_shared<CampaignOptions>();
  CLI::App* command = commands.AddOnline(
      group, name, what, fmt::format("ferry campaign {} autumn-1 --why \"as agreed\"", name),
      [name, options](const GlobalOptions& global) -> Result<Output> {
        FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
        Json body = Json::object();
        if (!options->why.empty()) body["why"] = options->why;
        FERRY_ASSIGN_OR_RETURN(const std::string path, CampaignPath(*options, api));
        FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/" + name, body));
        std::string text = CampaignLine(answer);
        return Output{std::move(answer), std::move(text)};
      });
  command->add_option("id", options->id, "the campaign")->required();
  command->add_option("--why", options->why, "the reason, kept in its history");
}

constexpr char kFileHelp[] =
    "JSON: name, releases [{package, version, rule, stages, gate, after}], start, deadline, "
    "on_stop, rate, retries, when";

}  // namespace

void AddCampaignCommand(Commands& commands) {
  const auto options = std::make_shared<CampaignOptions>();
  CLI::App* group = commands.Group("campaign", "several releases in order, as one thing");
  const auto online = [options](Result<Output> (*run)(const CampaignOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  CLI::App* start = commands.AddOnline(group, "start", "start what a file describes",
                                       "ferry campaign start autumn.json --why \"as agreed\"",
                                       online(StartCampaign));
  start->add_option("file", options->file, kFileHelp)->required();
  start->add_option("--why", options->why, "the reason, kept in its history");
  commands.AddOnline(group, "list", "the campaigns, newest first", "ferry campaign list",
                     online(ListCampaigns));
  CLI::App* show = commands.AddOnline(group, "show", "one campaign: its releases and its history",
                                      "ferry campaign show autumn-1", online(ShowCampaign));
  show->add_option("id", options->id, "the campaign")->required();
  AddOrder(commands, group, "pause", "its releases are paused, and none is started");
  AddOrder(commands, group, "resume", "go on after a pause");
  AddOrder(commands, group, "halt", "for good: no new devices; who has something keeps it");
  AddOrder(commands, group, "rollback", "all its releases go back, also those that are complete");
  AddOrder(commands, group, "kill", "what it gave runs on no device any more");
  AddOrder(commands, group, "retry", "devices that failed in its releases try once more");
}

}  // namespace ferry::cli

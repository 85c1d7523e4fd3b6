// ferry release: start, preview and look at releases.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/list.h"
#include "tools/ferry/remote/release_action.h"
#include "tools/ferry/remote/stages.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/remote/watch.h"

namespace ferry::cli {
namespace {

struct ReleaseOptions {
  std::string package, version, rule, salt, id, gate, pace;
  StageFlags stages;
  std::vector<std::string> exclusive;
  bool again = false;
  bool draft = false;
  bool preview = false;
  bool trusted_only = false;
};

// "path=device", split at the last "=".
Result<Json> ExclusiveFrom(const ReleaseOptions& options, const Api& api) {
  Json out = Json::array();
  for (const std::string& text : options.exclusive) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return Status::Of(Code::kInvalidArgument, "--exclusive \"{}\", wanted path=device", text);
    }
    std::string path = text.substr(0, equals);
    // A bare name means the file of that name of this version.
    if (path.find('/') == std::string::npos) {
      path = fmt::format("{}/{}/exclusive/{}", options.package, options.version, path);
    }
    FERRY_ASSIGN_OR_RETURN(std::string device, DeviceId(api, text.substr(equals + 1)));
    out.push_back({{"path", std::move(path)}, {"device", std::move(device)}});
  }
  return out;
}

Result<Json> RuleBody(const ReleaseOptions& options) {
  Json body = {{"rule", options.rule}};
  if (options.trusted_only) body["trusted_only"] = true;
  if (!options.salt.empty()) body["salt"] = options.salt;
  FERRY_ASSIGN_OR_RETURN(Json stages, StagesFrom(options.stages));
  if (!stages.is_null()) body["stages"] = std::move(stages);
  return body;
}

// How fast, how often and when: members of the release beside its stages.
Status AddPace(const std::string& file, Json* body) {
  FERRY_ASSIGN_OR_RETURN(const Json pace, JsonFile(file));
  if (!pace.is_object()) return Status::Of(Code::kMalformed, "{}: not an object", file);
  for (const auto& [key, value] : pace.items()) {
    if (key != "rate" && key != "retries" && key != "when")
      return Status::Of(Code::kMalformed, "{}: \"{}\" is not rate, retries or when", file, key);
    (*body)[key] = value;
  }
  return OkStatus();
}

Result<Output> Preview(const ReleaseOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const Json body, RuleBody(options));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/releases/preview", body));
  std::string text = PreviewText(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Start(const ReleaseOptions& options, const Api& api) {
  if (options.preview) return Preview(options, api);
  FERRY_ASSIGN_OR_RETURN(Json body, RuleBody(options));
  body["package"] = options.package;
  body["version"] = options.version;
  body["start"] = !options.draft;
  if (options.again) body["again"] = true;
  if (!options.gate.empty()) {
    FERRY_ASSIGN_OR_RETURN(body["gate"], JsonFile(options.gate));
  }
  if (!options.pace.empty()) FERRY_TRY(AddPace(options.pace, &body));
  if (!options.exclusive.empty()) {
    FERRY_ASSIGN_OR_RETURN(body["exclusive"], ExclusiveFrom(options, api));
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/releases", body));
  std::string text = ReleaseLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> StartDraft(const ReleaseOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, options.id));
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Post("/releases/" + PathPart(id) + "/start", Json::object()));
  std::string text = ReleaseLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> List(const ReleaseOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, GetList(api, "/releases", "releases"));
  FERRY_ASSIGN_OR_RETURN(const Json* releases, GetArray(answer, "releases"));
  std::string text = ReleasesText(*releases);
  return Output{std::move(answer), text.empty() ? "no releases yet\n" : std::move(text)};
}

Result<Output> Show(const ReleaseOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, options.id));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/releases/" + PathPart(id)));
  std::string text = ReleaseText(answer);
  return Output{std::move(answer), std::move(text)};
}

// All of them: the server shows the first ones with the release.
Result<Output> Members(const ReleaseOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, ReleaseId(api, options.id));
  const std::string path = "/releases/" + PathPart(id);
  FERRY_ASSIGN_OR_RETURN(const Json release, api.Get(path));
  Output out;
  Json& members = out.json()["members"] = Json::array();
  for (std::string after;;) {
    FERRY_ASSIGN_OR_RETURN(
        const Json page,
        api.Get(path + "/members" + (after.empty() ? "" : "?after=" + PathPart(after))));
    FERRY_ASSIGN_OR_RETURN(const Json* found, GetArray(page, "members"));
    members.insert(members.end(), found->begin(), found->end());
    FERRY_ASSIGN_OR_RETURN(const std::string next, GetStringOr(page, "next", ""));
    if (next.empty() || next == after) break;
    after = next;
  }
  Json shown = {{"members", members}};
  if (release.contains("stages")) shown["stages"] = release["stages"];
  out.text = MembersText(shown);
  if (out.text.empty()) out.text = "no devices yet\n";
  return out;
}

void AddRuleOptions(CLI::App* command, const std::shared_ptr<ReleaseOptions>& options) {
  command->add_option("--rule", options->rule, "who the release may reach")->required();
  command->add_option("--salt", options->salt,
                      "chooses devices of percentages; random when left out");
  command->add_flag("--trusted-only", options->trusted_only,
                    "do not hear what devices call themselves, also when keys are given");
  StageFlags& stages = options->stages;
  command->add_option("--stages", stages.file, "stages as a JSON file");
  command->add_option("--beta", stages.beta, "rule of a beta stage (may repeat)");
  command->add_option("--gray", stages.gray, "percentages of gray stages: 5,25")->delimiter(',');
  command->add_option("--min-healthy", stages.min_healthy_s, "least seconds in each stage");
  command->add_option("--min-reports", stages.min_reports, "least healthy devices of each stage");
  command->add_flag("--no-simulation", stages.no_simulation, "leave the simulation out");
}

// What a person can order: each is another thing.
void AddOrders(Commands& commands, CLI::App* group) {
  AddReleaseAction(commands, group, "promote", "on to the next stage without waiting for the gates",
                   "ferry release promote r1 --why \"seen enough\"");
  AddReleaseAction(commands, group, "approve", "agree to leave a stage that holds; ends no pause",
                   "ferry release approve r1 --why \"its figures are good\"");
  AddReleaseAction(commands, group, "pause", "no new devices, and the stage's clock stands",
                   "ferry release pause r1");
  AddReleaseAction(commands, group, "resume", "go on after a pause, or leave a stage that holds",
                   "ferry release resume r1");
  AddReleaseAction(commands, group, "halt", "for good: no new devices; who has it keeps it",
                   "ferry release halt r1 --why \"enough of them\"");
  AddReleaseAction(commands, group, "rollback", "every device goes back to what it had",
                   "ferry release rollback r1 --why \"accuracy looks wrong\"");
  AddReleaseAction(commands, group, "kill", "it runs on no device any more; rollback removes it",
                   "ferry release kill r1 --why \"it drains batteries\"");
  AddReleaseAction(commands, group, "retry", "devices that failed try once more",
                   "ferry release retry r1 --device 0123abcd");
}

}  // namespace

void AddReleaseCommand(Commands& commands) {
  const auto options = std::make_shared<ReleaseOptions>();
  CLI::App* group = commands.Group("release", "releases: a version, a rule and stages");
  const auto online = [options](Result<Output> (*run)(const ReleaseOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  CLI::App* start = commands.AddOnline(
      group, "start", "start a release of a published version",
      "ferry release start --package digits --version 2.0.0 --rule 'os == \"android\"' "
      "--beta 'tag(\"beta\")' --gray 5,25",
      online(Start));
  start->add_option("--package", options->package, "name of the package")->required();
  start->add_option("--version", options->version, "published version")->required();
  AddRuleOptions(start, options);
  start->add_option("--exclusive", options->exclusive,
                    "path=device: gives an exclusive file to one device (may repeat)");
  start->add_option("--gate", options->gate,
                    "settings of the gates as a JSON file: tolerated_rate, alpha, metrics, ...");
  start->add_option("--pace", options->pace,
                    "rate, retries and when as a JSON file, as in `ferry campaign`");
  start->add_flag("--draft", options->draft, "make it, start it later with `release begin`");
  start->add_flag("--again", options->again, "also a version that was taken back from devices");
  start->add_flag("--preview", options->preview, "only print whom each stage would reach");

  CLI::App* begin = commands.AddOnline(group, "begin", "start a draft", "ferry release begin r1",
                                       online(StartDraft));
  begin->add_option("id", options->id, "the release")->required();
  CLI::App* preview = commands.AddOnline(
      group, "preview", "print whom a rule and its stages would reach",
      "ferry release preview --rule 'app_version >= \"1.2.0\"' --gray 10", online(Preview));
  AddRuleOptions(preview, options);
  commands.AddOnline(group, "list", "all releases, newest first", "ferry release list",
                     online(List));
  CLI::App* show = commands.AddOnline(group, "show", "one release: stages, gates, devices, history",
                                      "ferry release show r1", online(Show));
  show->add_option("id", options->id, "the release")->required();
  CLI::App* members =
      commands.AddOnline(group, "members", "all devices of a release, and how it went on each",
                         "ferry release members r1", online(Members));
  members->add_option("id", options->id, "the release")->required();
  AddReleaseWatch(commands, group);
  AddOrders(commands, group);
}

}  // namespace ferry::cli

// ferry device: what the server knows of its devices, and tokens that let more join.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kMaxValidHours = 24 * 3650;

struct DeviceOptions {
  std::string id, release;
  int64_t uses = 1;
  int64_t valid_hours = 24;
  std::vector<std::string> tags;
  bool all = false, yes = false, list = false, waiting = false;
};

// Follows the pages to the end.
Result<Output> List(const DeviceOptions&, const Api& api) {
  Output out;
  out.json() = {{"devices", Json::array()}};
  for (std::string after;;) {
    const std::string query = after.empty() ? "" : "&after=" + PathPart(after);
    FERRY_ASSIGN_OR_RETURN(const Json page, api.Get("/devices?limit=500" + query));
    FERRY_ASSIGN_OR_RETURN(const Json* devices, GetArray(page, "devices"));
    for (const Json& device : *devices) {
      out.json()["devices"].push_back(device);
    }
    FERRY_ASSIGN_OR_RETURN(const std::string next, GetStringOr(page, "next", ""));
    if (next.empty() || next == after || devices->empty()) break;
    after = next;
  }
  out.text = DevicesText(out.json()["devices"]);
  if (out.text.empty()) out.text = "no devices yet\n";
  return out;
}

// "/devices/ID" of the device that `text` is the id or a prefix of.
Result<std::string> DevicePath(const Api& api, const std::string& text) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, DeviceId(api, text));
  return "/devices/" + PathPart(id);
}

Result<Output> Show(const DeviceOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, DevicePath(api, options.id));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(path));
  std::string text = DeviceText(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Why(const DeviceOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, DevicePath(api, options.id));
  FERRY_ASSIGN_OR_RETURN(const std::string release, ReleaseId(api, options.release));
  const std::string query = release.empty() ? "" : "?release=" + PathPart(release);
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(path + "/why" + query));
  std::string text = fmt::format("{} and {}: {}\n", Field(answer, "device"),
                                 Field(answer, "release"), Field(answer, "text"));
  return Output{std::move(answer), std::move(text)};
}

// What was acknowledged once and is gone with the server's rows, and what was refused.
Result<Output> Losses(const DeviceOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, DeviceId(api, options.id));
  const std::string query = "?limit=500" + (id.empty() ? "" : "&device=" + PathPart(id));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/losses" + query));
  FERRY_ASSIGN_OR_RETURN(const Json refusals, api.Get("/refusals" + query));
  FERRY_ASSIGN_OR_RETURN(const Json* refused, GetArray(refusals, "refusals"));
  answer["refusals"] = *refused;
  std::string text = LossesText(answer);
  return Output{std::move(answer), std::move(text)};
}

// What was made before; the tokens themselves are not kept.
Result<Output> JoinTokens(const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/join-tokens"));
  FERRY_ASSIGN_OR_RETURN(const Json* tokens, GetArray(answer, "join_tokens"));
  Table table({{"TOKEN", 16},
               {"MADE", 20},
               {"EXPIRES", 20},
               {"USED", 8, true},
               {"LEFT", 8, true},
               {"TAGS", 40}});
  for (const Json& token : *tokens)
    table.Add({Field(token, "id"), TimeField(token, "created_ms"), TimeField(token, "expires_ms"),
               Field(token, "uses"), Field(token, "uses_left"), Field(token, "tags")});
  return Output{std::move(answer), table.TextOr("no join tokens yet")};
}

// The text is the token alone, so that a shell can hand it on.
Result<Output> JoinToken(const DeviceOptions& options, const Api& api) {
  if (options.list) return JoinTokens(api);
  Json body = {{"uses", options.uses}, {"valid_ms", options.valid_hours * kHourMs}};
  if (!options.tags.empty()) body["tags"] = options.tags;
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/join-tokens", body));
  FERRY_ASSIGN_OR_RETURN(std::string token, GetString(answer, "token"));
  return Output{std::move(answer), std::move(token) + "\n"};
}

// Of one device, or of all of them.
Result<Output> AskForNewKeys(const DeviceOptions& options, const Api& api) {
  if (options.waiting) {
    FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/new-device-keys"));
    std::string text =
        fmt::format("{} devices have not made new keys yet\n", Field(answer, "waiting"));
    return Output{std::move(answer), std::move(text)};
  }
  if (options.id.empty() != options.all)
    return Status(Code::kInvalidArgument, "name a device, or say --all");
  std::string path = "/new-device-keys";
  if (!options.all) {
    FERRY_ASSIGN_OR_RETURN(path, DevicePath(api, options.id));
    path += "/new-keys";
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path, Json::object()));
  std::string text = fmt::format("{} devices are asked for new keys; {} have not made them yet\n",
                                 Field(answer, "asked"), Field(answer, "waiting"));
  return Output{std::move(answer), std::move(text)};
}

std::string ErasureLine(const Json& row) {
  std::string text = fmt::format(
      "erasure {} asked for by {}: {} records, {} about refused ones and {} texts of "
      "errors removed here; ",
      Field(row, "id"), Field(row, "asked_by"), Field(row, "records"), Field(row, "refused"),
      Field(row, "texts"));
  const auto device = row.find("device");
  if (device == row.end() || device->is_null()) return text + "the device has not answered yet\n";
  return text + fmt::format("on the device {}\n", Field(*device, "receipt"));
}

// Asks for an erasure, or shows what became of those that were asked for.
Result<Output> Erase(const DeviceOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, DevicePath(api, options.id));
  if (options.list) {
    FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(path + "/erasures"));
    FERRY_ASSIGN_OR_RETURN(const Json* rows, GetArray(answer, "erasures"));
    std::string text = rows->empty() ? "nothing was erased\n" : "";
    for (const Json& row : *rows) text += ErasureLine(row);
    return Output{std::move(answer), std::move(text)};
  }
  if (!options.yes)
    return Status(Code::kInvalidArgument,
                  "this removes what the device knows of who uses it, and its rows here, for good: "
                  "say --yes (or --list to see what was erased before)");
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/erase", Json::object()));
  std::string text = ErasureLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> SetBlocked(const DeviceOptions& options, const Api& api, bool blocked) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, DevicePath(api, options.id));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(path + "/block", {{"blocked", blocked}}));
  std::string text =
      fmt::format("{} is {}\n", Field(answer, "id"), blocked ? "blocked" : "let in again");
  return Output{std::move(answer), std::move(text)};
}

Result<Output> BlockDevice(const DeviceOptions& options, const Api& api) {
  return SetBlocked(options, api, true);
}

Result<Output> UnblockDevice(const DeviceOptions& options, const Api& api) {
  return SetBlocked(options, api, false);
}

Result<Output> Tag(const DeviceOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string path, DevicePath(api, options.id));
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Put(path + "/tags", {{"tags", options.tags}}));
  std::string text = fmt::format("{}: the operator's tags: {}\n", Field(answer, "id"),
                                 Field(answer, "operator_tags"));
  return Output{std::move(answer), std::move(text)};
}

}  // namespace

void AddDeviceCommand(Commands& commands) {
  const auto options = std::make_shared<DeviceOptions>();
  CLI::App* group = commands.Group("device", "devices that have joined");
  const auto online = [options](Result<Output> (*run)(const DeviceOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  commands.AddOnline(group, "list", "all devices and what they run", "ferry device list",
                     online(List));
  CLI::App* show = commands.AddOnline(group, "show", "one device, its releases and reports",
                                      "ferry device show 3f2a...", online(Show));
  show->add_option("id", options->id, "the device")->required();
  CLI::App* why = commands.AddOnline(group, "why", "why a device has or lacks a release",
                                     "ferry device why 3f2a... --release r1", online(Why));
  why->add_option("id", options->id, "the device")->required();
  why->add_option("--release", options->release, "the release; the newest when left out");
  CLI::App* tag = commands.AddOnline(group, "tag", "say what the operator calls a device",
                                     "ferry device tag 3f2a... beta staff", online(Tag));
  tag->add_option("id", options->id, "the device")->required();
  tag->add_option("tags", options->tags, "all its operator's tags; none takes them away");
  commands
      .AddOnline(group, "block", "let a device in no more: it gets nothing, and nothing is heard",
                 "ferry device block 3f2a...", online(BlockDevice))
      ->add_option("id", options->id, "the device")
      ->required();
  commands
      .AddOnline(group, "unblock", "let a blocked device in again", "ferry device unblock 3f2a...",
                 online(UnblockDevice))
      ->add_option("id", options->id, "the device")
      ->required();
  CLI::App* new_keys = commands.AddOnline(
      group, "new-keys", "have devices make new keys; they keep their ids, and releases go on",
      "ferry device new-keys 3f2a...", online(AskForNewKeys));
  new_keys->add_option("id", options->id, "the device");
  new_keys->add_flag("--all", options->all, "every device, as it comes");
  new_keys->add_flag("--waiting", options->waiting, "only say how many have not made them yet");
  CLI::App* erase = commands.AddOnline(
      group, "erase", "remove what is known of who uses a device, on it and here, with a receipt",
      "ferry device erase 3f2a... --yes", online(Erase));
  erase->add_option("id", options->id, "the device")->required();
  erase->add_flag("--yes", options->yes, "it cannot be undone");
  erase->add_flag("--list", options->list, "show what was erased, and the device's receipts");
  CLI::App* losses = commands.AddOnline(
      group, "losses", "rows that are not here: lost when the server was restored, or refused",
      "ferry device losses", online(Losses));
  losses->add_option("id", options->id, "of one device; of all when left out");
  CLI::App* join = commands.AddOnline(group, "join-token", "make a token that lets devices join",
                                      "ferry device join-token --uses 10", online(JoinToken));
  join->add_flag("--list", options->list, "make none: list those that were made");
  join->add_option("--tag", options->tags,
                   "what the operator calls the devices that join with it (may repeat)");
  join->add_option("--uses", options->uses, "how many devices")->capture_default_str();
  join->add_option("--valid-hours", options->valid_hours, "for how long")
      ->check(CLI::Range(int64_t{1}, kMaxValidHours))
      ->capture_default_str();
}

}  // namespace ferry::cli

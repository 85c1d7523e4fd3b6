// ferry group: groups of devices, for group("name") in rules.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"
#include "tools/ferry/text/visible.h"

namespace ferry::cli {
namespace {

struct GroupOptions {
  std::string name, rule;
  std::vector<std::string> devices;
  bool replace = false;
};

std::string GroupLine(const Json& group) {
  std::string what = group.contains("rule") ? "rule " + Field(group, "rule")
                                            : Field(group, "devices_listed") + " devices listed";
  if (group.contains("error")) what += "  NOT UNDERSTOOD: " + Field(group, "error");
  return fmt::format("{}: {}\n", Field(group, "name"), what);
}

std::string GroupsText(const Json& groups) {
  Table table({{"GROUP"}, {"DEVICES", 10, true}, {"RULE", kWordsColumns}, {"NOT UNDERSTOOD", 60}});
  for (const Json& group : groups) {
    const bool rule = group.contains("rule");
    table.Add({Field(group, "name"), rule ? "" : Field(group, "devices_listed"),
               Field(group, "rule"), Field(group, "error")});
  }
  return table.Text();
}

Output OfGroup(Json answer) {
  std::string text = GroupLine(answer);
  return Output{std::move(answer), std::move(text)};
}

std::string GroupPath(const GroupOptions& options) {
  return "/groups/" + PathPart(options.name);
}

Result<Output> CreateGroup(const GroupOptions& options, const Api& api) {
  if (options.replace) {
    if (options.rule.empty())
      return Status(Code::kInvalidArgument, "--replace needs --rule: lists change by add, remove");
    FERRY_ASSIGN_OR_RETURN(Json answer, api.Put(GroupPath(options), {{"rule", options.rule}}));
    return OfGroup(std::move(answer));
  }
  Json body = {{"name", options.name}};
  if (!options.rule.empty()) body["rule"] = options.rule;
  if (!options.devices.empty()) {
    std::vector<std::string> devices = options.devices;
    FERRY_TRY(ToDeviceIds(api, devices));
    body["devices"] = std::move(devices);
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/groups", body));
  return OfGroup(std::move(answer));
}

Result<Output> Change(const GroupOptions& options, const Api& api, const char* member) {
  std::vector<std::string> devices = options.devices;
  FERRY_TRY(ToDeviceIds(api, devices));
  FERRY_ASSIGN_OR_RETURN(Json answer,
                         api.Post(GroupPath(options) + "/devices", {{member, devices}}));
  std::string text = fmt::format("{}: {} added, {} removed, {} devices listed\n", options.name,
                                 Field(answer, "added"), Field(answer, "removed"),
                                 Field(answer, "devices_listed"));
  return Output{std::move(answer), std::move(text)};
}

Result<Output> AddDevices(const GroupOptions& options, const Api& api) {
  return Change(options, api, "add");
}

Result<Output> RemoveDevices(const GroupOptions& options, const Api& api) {
  return Change(options, api, "remove");
}

Result<Output> ListGroups(const GroupOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/groups"));
  FERRY_ASSIGN_OR_RETURN(const Json* groups, GetArray(answer, "groups"));
  std::string text = GroupsText(*groups);
  if (text.empty()) text = "no groups yet\n";
  return Output{std::move(answer), std::move(text)};
}

// Follows the pages to the end.
Result<Output> ShowGroup(const GroupOptions& options, const Api& api) {
  Output out;
  Json devices = Json::array();
  for (std::string after;;) {
    const std::string query = after.empty() ? "" : "&after=" + PathPart(after);
    FERRY_ASSIGN_OR_RETURN(out.json(), api.Get(GroupPath(options) + "?limit=500" + query));
    FERRY_ASSIGN_OR_RETURN(const Json* page, GetArray(out.json(), "devices"));
    devices.insert(devices.end(), page->begin(), page->end());
    FERRY_ASSIGN_OR_RETURN(const std::string next, GetStringOr(out.json(), "next", ""));
    if (next.empty() || next == after) break;
    after = next;
  }
  out.text = GroupLine(out.json());
  for (const Json& device : devices)
    if (device.is_string()) out.text += "  " + Visible(device.get<std::string>()) + "\n";
  out.json()["devices"] = std::move(devices);
  out.json().erase("next");
  return out;
}

Result<Output> DeleteGroup(const GroupOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Delete(GroupPath(options)));
  return Output{std::move(answer), "group " + options.name + " is gone\n"};
}

}  // namespace

void AddGroupCommand(Commands& commands) {
  const auto options = std::make_shared<GroupOptions>();
  CLI::App* group = commands.Group("group", "groups of devices, for group(\"name\") in rules");
  const auto add = [&commands, group, options](
                       const char* name, const char* what, const char* example,
                       Result<Output> (*run)(const GroupOptions&, const Api&)) {
    return commands.AddOnline(group, name, what, example,
                              [options, run](const GlobalOptions& global) -> Result<Output> {
                                FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
                                return run(*options, api);
                              });
  };
  CLI::App* create =
      add("create", "make a group: a fixed list, or whoever matches a rule",
          "ferry group create phones --rule 'os == \"android\" and memory >= 3 GiB'", CreateGroup);
  create->add_option("name", options->name, "its name: letters, digits, . _ -")->required();
  create->add_option("devices", options->devices, "the devices on its list");
  create->add_option("--rule", options->rule, "a saved rule; it may name fixed lists only");
  create->add_flag("--replace", options->replace, "another rule for a group that has one");
  const auto change = [&](const char* name, const char* what, const char* example,
                          Result<Output> (*run)(const GroupOptions&, const Api&)) {
    CLI::App* command = add(name, what, example, run);
    command->add_option("name", options->name, "the group")->required();
    command->add_option("devices", options->devices, "the devices")->required();
  };
  change("add", "put devices on a group's list", "ferry group add staff 3f2a...", AddDevices);
  change("remove", "take devices off a group's list", "ferry group remove staff 3f2a...",
         RemoveDevices);
  add("list", "all groups", "ferry group list", ListGroups);
  add("show", "one group and the devices in it", "ferry group show staff", ShowGroup)
      ->add_option("name", options->name, "the group")
      ->required();
  add("delete", "delete a group that no open release and no other group names",
      "ferry group delete staff", DeleteGroup)
      ->add_option("name", options->name, "the group")
      ->required();
}

}  // namespace ferry::cli

// ferry user: who may operate the server, and tokens for programs.
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/ids.h"
#include "tools/ferry/remote/list.h"
#include "tools/ferry/remote/secret.h"
#include "tools/ferry/remote/views.h"
#include "tools/ferry/text/table.h"

namespace ferry::cli {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr int64_t kMostTokenDays = 366;

struct UserOptions {
  std::string name, role, token_name, token_id;
  std::vector<std::string> packages, groups;
  bool make = false, enable = false, all_groups = false;
  int64_t valid_days = 90;
};

Table UserTable() {
  return Table({{"USER", 24}, {"ROLE", 10}, {"PACKAGES", 40}, {"DEVICES", 40}, {"STATE", 8}});
}

void AddUser(const Json& user, Table& table) {
  const auto list = [&](const char* key, const char* none) {
    std::string text = Field(user, key);
    return text == "-" ? none : text;
  };
  table.Add({Field(user, "name"), Field(user, "role"), list("packages", "none"),
             list("groups", "all"), Field(user, "disabled") == "true" ? "disabled" : ""});
}

std::string UserLine(const Json& user) {
  Table table = UserTable();
  AddUser(user, table);
  return table.Text();
}

std::string MadePassword(const Json& answer) {
  const auto password = GetStringOr(answer, "password", "");
  if (!password.ok() || password->empty()) return "";
  return fmt::format("password: {}   (shown once: note it)\n", *password);
}

std::string UserPath(const UserOptions& options) {
  return "/users/" + PathPart(options.name);
}

Json RightsBody(const UserOptions& options) {
  Json body = Json::object();
  if (!options.role.empty()) body["role"] = options.role;
  if (!options.packages.empty()) body["packages"] = options.packages;
  if (!options.groups.empty() || options.all_groups) body["groups"] = options.groups;
  return body;
}

Result<Output> Create(const UserOptions& options, const Api& api) {
  Json body = RightsBody(options);
  body["name"] = options.name;
  if (!options.make) {
    FERRY_ASSIGN_OR_RETURN(body["password"], ReadSecret("FERRY_NEW_PASSWORD", "new password"));
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post("/users", body));
  std::string text = UserLine(answer) + MadePassword(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> List(const UserOptions&, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, GetList(api, "/users", "users"));
  FERRY_ASSIGN_OR_RETURN(const Json* users, GetArray(answer, "users"));
  Table table = UserTable();
  for (const Json& user : *users) AddUser(user, table);
  std::string text = table.Text();
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Show(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(options.name.empty() ? "/me" : UserPath(options)));
  std::string text = UserLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Role(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Put(UserPath(options), RightsBody(options)));
  std::string text = UserLine(answer);
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Disable(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Put(UserPath(options), {{"disabled", !options.enable}}));
  std::string text = UserLine(answer);
  return Output{std::move(answer), std::move(text)};
}

// One's own needs the old one too.
Result<Output> Password(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const Json me, api.Get("/me"));
  Json body = Json::object();
  if (Field(me, "name") == options.name) {
    FERRY_ASSIGN_OR_RETURN(body["old"], ReadSecret("FERRY_PASSWORD", "old password"));
  }
  if (!options.make) {
    FERRY_ASSIGN_OR_RETURN(body["password"], ReadSecret("FERRY_NEW_PASSWORD", "new password"));
  }
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Put(UserPath(options) + "/password", body));
  std::string text = fmt::format("{} has a new password; its sessions and tokens ended\n{}",
                                 options.name, MadePassword(answer));
  return Output{std::move(answer), std::move(text)};
}

Result<Output> Delete(const UserOptions& options, const Api& api) {
  FERRY_TRY(AsStatus(api.Delete(UserPath(options))));
  return Output{{{"deleted", options.name}}, fmt::format("user {} is gone\n", options.name)};
}

// The text is the token alone, so that a shell can hand it on.
Result<Output> TokenCreate(const UserOptions& options, const Api& api) {
  Json body = RightsBody(options);
  body["name"] = options.token_name;
  body["valid_ms"] = options.valid_days * kDayMs;
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Post(UserPath(options) + "/tokens", body));
  FERRY_ASSIGN_OR_RETURN(std::string token, GetString(answer, "token"));
  return Output{std::move(answer), std::move(token) + "\n"};
}

Result<Output> TokenList(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get(UserPath(options) + "/tokens"));
  FERRY_ASSIGN_OR_RETURN(const Json* tokens, GetArray(answer, "tokens"));
  Table table({{"TOKEN", 16}, {"NAME", 24}, {"ROLE", 10}, {"EXPIRES", 20}, {"LAST USED", 20}});
  for (const Json& token : *tokens)
    table.Add({Field(token, "id"), Field(token, "name"), Field(token, "role"),
               TimeField(token, "expires_ms"), TimeField(token, "last_used_ms")});
  return Output{std::move(answer), table.TextOr("no tokens")};
}

Result<Output> TokenRevoke(const UserOptions& options, const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const std::string id, TokenId(api, options.name, options.token_id));
  FERRY_TRY(AsStatus(api.Delete(UserPath(options) + "/tokens/" + PathPart(id))));
  return Output{{{"revoked", id}}, fmt::format("token {} is revoked\n", id)};
}

using Shared = std::shared_ptr<UserOptions>;

void AddRights(CLI::App* command, const Shared& options) {
  command->add_option("--role", options->role, "viewer, developer, releaser, approver or admin");
  command->add_option("--package", options->packages,
                      "packages that it may change, as a glob (may repeat); all when left out");
  command->add_option("--group", options->groups,
                      "tag of the devices that it may reach (may repeat); all when left out");
}

void AddTokenCommands(Commands& commands, CLI::App* group, const Shared& options,
                      const auto& online) {
  CLI::App* token = group->add_subcommand("token", "API tokens of a user, for programs");
  token->require_subcommand(1);
  CLI::App* create =
      commands.AddOnline(token, "create", "make a token; it is printed once",
                         "ferry user token create vera --name ci --role releaser --package 'sums*'",
                         online(TokenCreate));
  create->add_option("user", options->name, "whose token")->required();
  create->add_option("--name", options->token_name, "what it is for")->required();
  AddRights(create, options);
  create->add_option("--valid-days", options->valid_days, "for how long")
      ->check(CLI::Range(int64_t{1}, kMostTokenDays))
      ->capture_default_str();
  CLI::App* list = commands.AddOnline(token, "list", "tokens of a user, with their last use",
                                      "ferry user token list vera", online(TokenList));
  list->add_option("user", options->name, "whose tokens")->required();
  CLI::App* revoke =
      commands.AddOnline(token, "revoke", "end a token at once",
                         "ferry user token revoke vera 0123456789ab", online(TokenRevoke));
  revoke->add_option("user", options->name, "whose token")->required();
  revoke->add_option("id", options->token_id, "its id in the list")->required();
}

}  // namespace

void AddUserCommand(Commands& commands) {
  const auto options = std::make_shared<UserOptions>();
  CLI::App* group = commands.Group("user", "who may operate the server");
  const auto online = [options](Result<Output> (*run)(const UserOptions&, const Api&)) {
    return [options, run](const GlobalOptions& global) -> Result<Output> {
      FERRY_ASSIGN_OR_RETURN(const Api api, Api::Open(global));
      return run(*options, api);
    };
  };
  const auto named = [&](const char* name, const char* what, const char* example, auto run) {
    CLI::App* command = commands.AddOnline(group, name, what, example, online(run));
    command->add_option("name", options->name, "the user")->required();
    return command;
  };
  CLI::App* create =
      named("create", "make a user; it asks for the password, or reads FERRY_NEW_PASSWORD",
            "ferry user create vera --role releaser --package 'sums*' --make", Create);
  AddRights(create, options);
  create->get_option("--role")->required();
  create->add_flag("--make", options->make, "the server makes the password, and prints it once");
  commands.AddOnline(group, "list", "all users", "ferry user list", online(List));
  CLI::App* show = commands.AddOnline(group, "show", "one user; who is logged in when left out",
                                      "ferry user show", online(Show));
  show->add_option("name", options->name, "the user");
  CLI::App* role = named("role", "change a user's role and scope; what is left out stays",
                         "ferry user role vera --role approver", Role);
  AddRights(role, options);
  role->add_flag("--all-groups", options->all_groups, "it may reach all devices");
  CLI::App* disable = named("disable", "let a user in no more; its sessions and tokens end",
                            "ferry user disable vera", Disable);
  disable->add_flag("--off", options->enable, "let it in again");
  CLI::App* password = named("password", "set a user's password, which it asks for",
                             "ferry user password vera", Password);
  password->add_flag("--make", options->make, "the server makes one, and prints it once");
  named("delete", "take a user away", "ferry user delete vera", Delete);
  AddTokenCommands(commands, group, options, online);
}

}  // namespace ferry::cli

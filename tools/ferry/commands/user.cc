// ferry user: who may operate the server, and tokens for programs.
#include <cstdlib>
#include <iostream>

#include "common/trust/time.h"
#include "tools/ferry/command.h"
#include "tools/ferry/remote/api.h"
#include "tools/ferry/remote/views.h"

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

// Lines of standard input, or a variable: never an argument, which others on the machine could see.
Result<std::string> ReadSecret(const char* variable, const char* prompt) {
  if (const char* value = std::getenv(variable); value != nullptr) return std::string(value);
  std::cerr << prompt << ": " << std::flush;
  std::string line;
  if (!std::getline(std::cin, line) || line.empty())
    return Status::Of(Code::kInvalidArgument, "no {} on standard input or in {}", prompt, variable);
  return line;
}

std::string UserLine(const Json& user) {
  const auto list = [&](const char* key, const char* none) {
    const auto items = GetStringsOr(user, key);
    std::string text;
    for (const std::string& item : items.ok() ? *items : std::vector<std::string>())
      text += (text.empty() ? "" : ",") + item;
    return text.empty() ? none : text;
  };
  const auto disabled = GetBoolOr(user, "disabled", false);
  return fmt::format("{:<20}{:<10}packages {}  devices {}{}\n", Field(user, "name"),
                     Field(user, "role"), list("packages", "none"), list("groups", "all"),
                     disabled.ok() && *disabled ? "  disabled" : "");
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
  FERRY_ASSIGN_OR_RETURN(Json answer, api.Get("/users"));
  FERRY_ASSIGN_OR_RETURN(const Json* users, GetArray(answer, "users"));
  std::string text;
  for (const Json& user : *users) text += UserLine(user);
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
  std::string text;
  for (const Json& token : *tokens) {
    const auto expires_ms = GetIntOr(token, "expires_ms", 0);
    text += fmt::format("{:<14}{:<20}{:<10}expires {}\n", Field(token, "id"), Field(token, "name"),
                        Field(token, "role"), trust::FormatTime(expires_ms.ok() ? *expires_ms : 0));
  }
  return Output{std::move(answer), std::move(text)};
}

Result<Output> TokenRevoke(const UserOptions& options, const Api& api) {
  FERRY_TRY(AsStatus(api.Delete(UserPath(options) + "/tokens/" + PathPart(options.token_id))));
  return Output{{{"revoked", options.token_id}},
                fmt::format("token {} is revoked\n", options.token_id)};
}

using Shared = std::shared_ptr<UserOptions>;

void AddRights(CLI::App* command, const Shared& options) {
  command->add_option("--role", options->role, "viewer, releaser, approver or admin");
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
      named("create", "make a user; its password comes from standard input",
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
  CLI::App* password = named("password", "set a user's password from standard input",
                             "ferry user password vera", Password);
  password->add_flag("--make", options->make, "the server makes one, and prints it once");
  named("delete", "take a user away", "ferry user delete vera", Delete);
  AddTokenCommands(commands, group, options, online);
}

}  // namespace ferry::cli

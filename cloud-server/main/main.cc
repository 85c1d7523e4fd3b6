// ferry-server: init, run, join-token, password, tokens.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cloud-server/main/commands.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr int kExitUsage = 2;

int Report(const Status& status, bool json) {
  if (status.ok()) return 0;
  if (json) {
    const Json error = {{"error",
                         {{"code", static_cast<int>(status.code())},
                          {"name", InfoOf(status.code()).name},
                          {"text", status.message()}}}};
    std::printf("%s\n", WriteJson(error).c_str());
  } else {
    std::fprintf(stderr, "ferry-server: %s\n", status.ToString().c_str());
  }
  return 1;
}

void AddVerifyOptions(CLI::App& run, VerifyDoorOptions& verify) {
  run.add_option("--verify", verify.targets,
                 "Verify split generation with the language model of this package, PACKAGE or "
                 "PACKAGE@VERSION; the newest version as it is published; repeatable");
  run.add_option("--verify-memory-mb", verify.memory_mb, "Memory of its KV caches")
      ->capture_default_str();
  run.add_option("--verify-threads", verify.threads, "Threads of its forward passes, 0: all cores")
      ->capture_default_str();
  run.add_option("--verify-sessions", verify.sessions, "Sessions at once")->capture_default_str();
}

CLI::App* AddPassword(CLI::App& app, PasswordCommand& command) {
  CLI::App* password = app.add_subcommand(
      "password", "Set the admin password: the first line of standard input, or a new one");
  password->footer(
      "Works beside a running server. A terminal or an empty line: one is made and printed.\n"
      "Example: ferry-server password --dir srv < password.txt");
  password->add_option("--dir", command.directory, "Directory that `init` made")->required();
  password->add_flag("--make", command.make, "Make one and print it; standard input is not read");
  password->add_flag("--json", command.json, "One JSON object on standard output");
  return password;
}

CLI::App* AddTokens(CLI::App& app, TokensCommand& command) {
  CLI::App* tokens = app.add_subcommand("tokens", "List or revoke the tokens of who is logged in");
  tokens->footer(
      "Works beside a running server, which refuses the next call of a revoked token.\n"
      "Example: ferry-server tokens --dir srv --revoke 0123456789ab");
  tokens->add_option("--dir", command.directory, "Directory that `init` made")->required();
  tokens->add_option("--revoke", command.revoke, "Revoke the token with this id of the list");
  tokens->add_flag("--json", command.json, "One JSON object on standard output");
  return tokens;
}

int Main(int argc, char** argv) {
  CLI::App app{"Ferry's server: devices' door, releases, console."};
  app.require_subcommand(1);
  app.footer(
      "Example:\n  ferry-server init --dir srv\n  ferry-server run --dir srv --port 7443 "
      "--admin-port 8080\n  ferry-server join-token --dir srv --uses 10");

  InitCommand init;
  CLI::App* init_app = app.add_subcommand("init", "Make a server's directory, keys and password");
  init_app->footer(
      "Example: ferry-server init --dir srv --name ferry.example --device-host "
      "ferry.example");
  init_app->add_option("--dir", init.directory, "Directory, made if absent")->required();
  init_app->add_option("--tenant", init.config.tenant, "Name of the tenant")->capture_default_str();
  init_app->add_option("--name", init.config.names,
                       "Host names and addresses in the server's certificate");
  init_app
      ->add_option("--device-host", init.config.device_host,
                   "Host that join tokens send devices to")
      ->capture_default_str();
  init_app->add_flag("--json", init.json, "One JSON object on standard output");

  RunCommand run;
  CLI::App* run_app = app.add_subcommand("run", "Run until SIGTERM or SIGINT");
  run_app->footer(
      "Example: ferry-server run --dir srv --port 7443 --admin-port 8080 --verify pair-target");
  run_app->add_option("--dir", run.directory, "Directory that `init` made")->required();
  run_app->add_option("--host", run.node.host, "Address of the devices' door")
      ->capture_default_str();
  run_app->add_option("--port", run.node.port, "Its port, 0: any")->capture_default_str();
  run_app->add_option("--admin-host", run.node.admin_host, "Address of console and REST")
      ->capture_default_str();
  run_app->add_option("--admin-port", run.node.admin_port, "Its port, 0: any")
      ->capture_default_str();
  run_app->add_option("--device-program", run.node.device_program,
                      "Path of ferry-device for simulations; that beside this program if absent");
  AddVerifyOptions(*run_app, run.node.verify);

  JoinTokenCommand join;
  CLI::App* join_app = app.add_subcommand("join-token", "Make a token that lets devices join");
  join_app->footer("Example: ferry-server join-token --dir srv --uses 10 --valid-hours 48");
  join_app->add_option("--dir", join.directory, "Directory that `init` made")->required();
  join_app->add_option("--uses", join.uses, "How many devices")->capture_default_str();
  join_app->add_option("--valid-hours", join.valid_hours, "For how long")
      ->check(CLI::Range(1, 24 * 3650))
      ->capture_default_str();
  join_app->add_option("--port", join.port, "Devices' port, that of the last run if absent");
  join_app->add_flag("--json", join.json, "One JSON object on standard output");

  PasswordCommand password;
  const CLI::App* password_app = AddPassword(app, password);
  TokensCommand tokens;
  const CLI::App* tokens_app = AddTokens(app, tokens);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "ferry-server: usage: %s (try --help)\n", error.what());
    return kExitUsage;
  }
  if (init_app->parsed()) return Report(RunInit(init), init.json);
  if (run_app->parsed()) return Report(RunServer(run), false);
  if (password_app->parsed()) return Report(RunPassword(password), password.json);
  if (tokens_app->parsed()) return Report(RunTokens(tokens), tokens.json);
  return Report(RunJoinToken(join), join.json);
}

}  // namespace
}  // namespace ferry::server

int main(int argc, char** argv) {
  return ferry::server::Main(argc, argv);
}

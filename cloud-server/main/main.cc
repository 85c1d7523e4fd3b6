// ferry-server: init, run, drain, join-token, keys, address, password, pin, tokens, backup,
// restore, check, move, fill, openapi.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "cloud-server/admin/admin.h"
#include "cloud-server/gateway/gateway.h"
#include "cloud-server/main/backup/commands.h"
#include "cloud-server/main/commands.h"
#include "cloud-server/main/door/oidc_door.h"
#include "cloud-server/main/drain/drain_command.h"
#include "cloud-server/main/fill/fill.h"
#include "cloud-server/main/line/line_commands.h"
#include "cloud-server/main/online_keys/key_ring.h"
#include "cloud-server/main/truth/move_command.h"
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

std::string LimitsHelp() {
  std::string help = "NAME=VALUE: how much devices may bring in, and what is kept; repeatable.";
  for (const LimitInfo& limit : AllLimits())
    help += fmt::format("\n{}{} ({}): {}", limit.name, limit.of_stream ? "[@STREAM]" : "",
                        limit.standard, limit.text);
  return help + "\n0 is no limit; k, M and G are powers of 1024";
}

void AddLimitOption(CLI::App& run, Limits& limits) {
  run.add_option_function<std::vector<std::string>>(
      "--limit",
      [&limits](const std::vector<std::string>& texts) {
        for (const std::string& text : texts)
          if (const Status set = limits.SetText(text); !set.ok())
            throw CLI::ValidationError("--limit", set.message());
      },
      LimitsHelp());
}

void AddAdminOptions(CLI::App& run, AdminDoorOptions& admin) {
  run.add_option("--admin-host", admin.host,
                 "Address of console and REST; TLS is spoken off loopback")
      ->capture_default_str();
  run.add_option("--admin-port", admin.port, "Its port, 0: any")->capture_default_str();
  run.add_flag("--admin-tls", admin.tls, "Speak TLS on loopback too");
  run.add_flag("--admin-plain", admin.plain,
               "Speak plain HTTP off loopback too: a proxy ends TLS, see --admin-proxy");
  run.add_option("--admin-cert", admin.chain_file,
                 "PEM of certificate and chain instead of one of the server's own authority");
  run.add_option("--admin-key", admin.key_file, "PEM of its private key");
  run.add_flag("--metrics-open", admin.open_metrics,
               "GET /metrics needs no token; else that of any user");
  run.add_option("--admin-proxy", admin.proxies,
                 "Address of a proxy whose X-Forwarded-For or Forwarded is believed; repeatable");
}

CLI::App* AddPin(CLI::App& app, PinCommand& command) {
  CLI::App* pin = app.add_subcommand("pin", "Print the pin of the server's authority");
  pin->footer(
      "Example: ferry login https://ferry.example:8443 --pin $(ferry-server pin --dir srv)");
  pin->add_option("--dir", command.directory, "Directory that `init` made")->required();
  pin->add_flag("--json", command.json, "One JSON object on standard output");
  return pin;
}

CLI::App* AddPassword(CLI::App& app, PasswordCommand& command) {
  CLI::App* password = app.add_subcommand(
      "password", "Set the admin password: the first line of standard input, or a new one");
  password->footer(
      "Works beside a running server. A terminal or an empty line: one is made and printed.\n"
      "All tokens end, and so does an unused one-time password.\n"
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

CLI::App* AddKeysRetire(CLI::App& keys, RetireCommand& command) {
  CLI::App* retire = keys.add_subcommand(
      "retire", "Retire the certificate authority that `keys rotate authority` replaced");
  retire->footer(
      "Twice: the first call takes it out of the next root, so that devices believe it no longer; "
      "the second, when devices have that root, removes its key. Until then it serves those that "
      "know no other.\n"
      "Example: ferry-server keys retire --dir srv");
  retire->add_option("--dir", command.directory, "Directory that `init` made")->required();
  retire->add_flag("--force", command.force,
                   "Although devices lack that root: they have to join again");
  retire->add_flag("--json", command.json, "One JSON object on standard output");
  return retire;
}

CLI::App* AddCertificate(CLI::App& app, CertificateCommand& command) {
  CLI::App* certificate = app.add_subcommand(
      "certificate", "A certificate for a mirror of content, which devices believe");
  certificate->footer(
      "A mirror is any web server with a copy of the server's content folder, each file of it as "
      "/content/<its name>, that speaks TLS 1.3 with this certificate and offers http/1.1 by ALPN. "
      "All in it is sealed, and checked on the device; whoever reaches it may fetch it.\n"
      "Example: ferry-server certificate cdn.example --dir srv --out mirror\n"
      "         ferry-server run --dir srv --mirror cdn.example:443");
  certificate->add_option("name", command.names, "Host names and addresses of the mirror")
      ->required();
  certificate->add_option("--dir", command.directory, "Directory that `init` made")->required();
  certificate->add_option("--out", command.to, "Folder for mirror.pem and mirror.key")->required();
  certificate->add_option("--days", command.valid_days, "For how long it is valid")
      ->check(CLI::Range(1, 3650))
      ->capture_default_str();
  certificate->add_flag("--json", command.json, "One JSON object on standard output");
  return certificate;
}

CLI::App* AddAddress(CLI::App& app, AddressCommand& command) {
  CLI::App* address =
      app.add_subcommand("address", "Where devices find this server, when it moves");
  address->footer(
      "The publisher's next root says it to devices, which try the addresses in this order and "
      "then the one they joined at. The server's certificates name the hosts from then on.\n"
      "Example: ferry-server address ferry.example:7443 backup.example:7443 --dir srv\n"
      "         ferry-server address --dir srv     # shows what there is");
  address->add_option("address", command.addresses, "HOST:PORT, or [ADDRESS]:PORT of IPv6");
  address->add_option("--dir", command.directory, "Directory that `init` made")->required();
  address->add_flag("--json", command.json, "One JSON object on standard output");
  return address;
}

CLI::App* AddKeysRotate(CLI::App& keys, KeysCommand& command) {
  CLI::App* rotate = keys.add_subcommand(
      "rotate", "Make fresh online keys, which the publisher's next root brings into use");
  rotate->footer(
      "Works beside a running server, which goes on with the present keys until the root comes and "
      "then signs everything anew at once. Old escrow keys are kept for opening.\n"
      "Example: ferry-server keys rotate director --dir srv\n"
      "         ferry keys rotate --dir publisher --role online --online-keys "
      "srv/online-keys.json\n"
      "         ferry keys upload --dir publisher");
  rotate->add_option("role", command.roles,
                     "director, snapshot, timestamp, escrow, personal (files of single devices); "
                     "all of these in use when left out. authority: the certificate authority");
  rotate->add_option("--dir", command.directory, "Directory that `init` made")->required();
  rotate->add_flag("--again", command.again,
                   "Also where keys wait already: a root that names those is then refused");
  rotate->add_flag("--json", command.json, "One JSON object on standard output");
  return rotate;
}

void AddRingSecret(CLI::App& command, const char* name, std::string& secret) {
  command
      .add_option(name, secret,
                  "Where the key ring's secret is: file:PATH, or pkcs11:token=T;object=KEY"
                  "?module-path=LIBRARY (RFC 7512; PIN: FERRY_PKCS11_PIN or pin-source). "
                  "FERRY_KEY_RING_SECRET when left out")
      ->envname("FERRY_KEY_RING_PLACE");
}

CLI::App* AddKeysSeal(CLI::App& keys, SealKeysCommand& command) {
  CLI::App* seal = keys.add_subcommand(
      "seal", "Write keys, certificates and name as one sealed file, for nodes that start empty");
  seal->footer(
      "FERRY_KEY_RING_SECRET opens it: 64 hexadecimal digits, made and printed where it is not "
      "set. --secret says where else it is; it is made there where there is none. After `keys "
      "rotate` write it anew and give it to the other nodes (`keys open`) before the publisher's "
      "root comes.\n"
      "Example: ferry-server keys seal --dir srv --out ring\n"
      "         ferry-server keys seal --dir srv --out ring --secret "
      "'pkcs11:token=ferry;object=key-ring?module-path=/usr/lib/softhsm/libsofthsm2.so'\n"
      "         ferry-server run --key-ring ring --dir empty --store postgres://.. --bus nats://.. "
      "--blob s3://..");
  seal->add_option("--dir", command.directory, "Directory that `init` made")->required();
  seal->add_option("--out", command.to, "The file")->required();
  AddRingSecret(*seal, "--secret", command.secret);
  seal->add_flag("--json", command.json, "One JSON object on standard output");
  return seal;
}

CLI::App* AddKeysOpen(CLI::App& keys, OpenKeysCommand& command) {
  CLI::App* open = keys.add_subcommand(
      "open", "Take the keys of a newer file of `keys seal` into a node's directory");
  open->footer(
      "Works beside a running node, which puts them to use when the publisher's root names them. "
      "An empty directory becomes a node's.\n"
      "Example: ferry-server keys open ring --dir srv2");
  open->add_option("file", command.file, "The file")->required();
  open->add_option("--dir", command.directory, "The node's directory")->required();
  AddRingSecret(*open, "--secret", command.secret);
  open->add_flag("--json", command.json, "One JSON object on standard output");
  return open;
}

CLI::App* AddFill(CLI::App& app, FillCommand& command) {
  CLI::App* fill = app.add_subcommand("fill", "Fill a new server with a made-up fleet to look at");
  fill->footer(
      "Devices, groups, packages and releases as rows of the database; nothing is signed, nothing "
      "reaches a device. The same seed makes the same fleet. A server is made where none lives.\n"
      "Example: ferry-server fill --devices 100000 --seed 1 srv\n"
      "         ferry-server run --dir srv --admin-port 8080");
  fill->add_option("dir", command.directory, "Directory of a server without devices")->required();
  fill->add_option("--devices", command.devices, "How many")->capture_default_str();
  fill->add_option("--seed", command.seed, "What the fleet is drawn from")->capture_default_str();
  fill->add_option("--have", command.have,
                   "File for texts of some devices, as their apps would ask by: POST /api/v1/have");
  fill->add_flag("--json", command.json, "One JSON object on standard output");
  return fill;
}

CLI::App* AddDrain(CLI::App& app, DrainCommand& command) {
  CLI::App* drain =
      app.add_subcommand("drain", "Send the devices of a running server to its other nodes");
  drain->footer(
      "It takes no more devices, /readyz answers 503, and those that are connected are sent away "
      "evenly over the time. Ends when none is left; the server runs on until it is stopped, and "
      "serves again after its next start. Asked again, it goes on, within the time that was given "
      "last.\n"
      "Example: ferry-server drain srv --within 10m && systemctl stop ferry-server");
  drain->add_option("dir", command.directory, "Directory of the running server")->required();
  drain->add_option("--within", command.within_s, "Time for it: 90s, 10m, 2h")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, int64_t>{{"s", 1}, {"m", 60}, {"h", 3600}},
                                CLI::AsNumberWithUnit::CASE_SENSITIVE, "TIME"))
      ->check(CLI::Range(int64_t{0}, kMaxDrainMs / 1000))
      ->default_str("10m");
  drain->add_flag("--json", command.json, "One JSON object on standard output, at the end");
  return drain;
}

// The operators' interface, for programs that make clients of it.
int PrintOpenApi() {
  const Result<std::string> text = OpenApiText();
  if (!text.ok()) {
    std::fprintf(stderr, "ferry-server: %s\n", text.status().ToString().c_str());
    return 1;
  }
  std::printf("%s", text->c_str());
  return 0;
}

void AddStore(CLI::App& command, std::string& store) {
  command
      .add_option("--store", store,
                  "Where the rows are: postgres://USER@HOST:PORT/DATABASE, or ferry.db; noted in "
                  "the directory. HOST:PORT,HOST:PORT names a primary and standbys, in any order. "
                  "A password is better in FERRY_STORE or ~/.pgpass than here")
      ->envname("FERRY_STORE");
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
  AddStore(*init_app, init.store);
  init_app->add_flag("--if-missing", init.if_missing,
                     "For services: nothing where a server lives already; prints nothing, no "
                     "password either: the first `run` prints one for a single login");
  init_app->add_flag("--json", init.json, "One JSON object on standard output");

  RunCommand run;
  CLI::App* run_app = app.add_subcommand("run", "Run until SIGTERM or SIGINT");
  run_app->footer(
      "Example: ferry-server run --dir srv --port 7443 --admin-port 8080 --verify pair-target");
  run_app->add_option("--dir", run.directory, "Directory that `init` made")->required();
  AddStore(*run_app, run.store);
  run_app
      ->add_option("--key-ring", run.key_ring,
                   "File of `keys seal`: an empty directory becomes a node's with it, and a node "
                   "that did takes the keys of a newer one")
      ->envname("FERRY_KEY_RING");
  AddRingSecret(*run_app, "--key-ring-secret", run.key_ring_secret);
  run_app->add_option("--host", run.node.host, "Address of the devices' door")
      ->capture_default_str();
  run_app->add_option("--port", run.node.port, "Its port, 0: any")->capture_default_str();
  run_app
      ->add_option("--max-devices", run.node.max_devices,
                   "Devices connected at once; more are told to come back later. 0: 100,000")
      ->check(CLI::Range(int64_t{0}, static_cast<int64_t>(kMaxSessions)));
  run_app
      ->add_option("--handshakes", run.node.handshakes,
                   "TLS handshakes of devices that begin a second; others wait. 0: no limit")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  AddAdminOptions(*run_app, run.node.admin);
  AddOidcOptions(*run_app, run.node.oidc);
  run_app->add_flag("--webhook-private", run.node.webhook_private,
                    "Webhooks may call loopback and private addresses");
  run_app
      ->add_option("--deltas", run.node.deltas,
                   "Deltas made for each version, from those that most devices run; 0: none")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  run_app->add_option(
      "--mirror", run.node.mirrors,
      "Where devices fetch content first: http[s]://HOST[:PORT][/PATH] of any web server "
      "(`ferry mirror sync`), or HOST:PORT with TLS (`certificate`); repeatable");
  run_app->add_flag(
      "!--no-redirect", run.node.redirects,
      "Content of a bucket goes through this server: devices cannot reach the bucket");
  run_app
      ->add_option("--bus", run.node.bus,
                   "nats://HOST:PORT that carries wake-ups to the other nodes; without it there is "
                   "one node. USER:PASSWORD@ is better in FERRY_BUS than here")
      ->envname("FERRY_BUS");
  run_app
      ->add_option(
          "--blob", run.node.blob,
          "s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME] where content lies, in place of "
          "the directory; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY say who asks")
      ->envname("FERRY_BLOB");
  run_app
      ->add_option("--wait", run.wait_s,
                   "Seconds to wait at the start for a store, bus or bucket that does not answer")
      ->check(CLI::Range(0, 86'400))
      ->capture_default_str();
  run_app->add_option("--device-program", run.node.device_program,
                      "Path of ferry-device for simulations; that beside this program if absent");
  AddLimitOption(*run_app, run.node.limits);
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
  join_app->add_option("--tag", join.tags,
                       "What the operator calls the devices that join with it; repeatable");
  join_app->add_flag("--json", join.json, "One JSON object on standard output");

  PasswordCommand password;
  const CLI::App* password_app = AddPassword(app, password);
  PinCommand pin;
  const CLI::App* pin_app = AddPin(app, pin);
  TokensCommand tokens;
  const CLI::App* tokens_app = AddTokens(app, tokens);
  KeysCommand keys;
  CLI::App* keys_group = app.add_subcommand("keys", "The server's online keys");
  keys_group->require_subcommand(1);
  const CLI::App* rotate_app = AddKeysRotate(*keys_group, keys);
  RetireCommand retire;
  const CLI::App* retire_app = AddKeysRetire(*keys_group, retire);
  SealKeysCommand seal;
  const CLI::App* seal_app = AddKeysSeal(*keys_group, seal);
  OpenKeysCommand open_keys;
  const CLI::App* open_keys_app = AddKeysOpen(*keys_group, open_keys);
  AddressCommand address;
  const CLI::App* address_app = AddAddress(app, address);
  CertificateCommand certificate;
  const CLI::App* certificate_app = AddCertificate(app, certificate);
  FillCommand fill;
  const CLI::App* fill_app = AddFill(app, fill);
  DrainCommand drain;
  const CLI::App* drain_app = AddDrain(app, drain);
  CLI::App* openapi_app =
      app.add_subcommand("openapi", "Print the operators' interface, OpenAPI 3.1");
  openapi_app->footer(
      "The same as GET /api/v1/openapi.json; needs no server. For programs that make clients.\n"
      "Example: ferry-server openapi > openapi.json");
  BackupCommands backups;
  backups.AddTo(app);
  MoveCommand move;
  move.AddTo(app);

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
  if (pin_app->parsed()) return Report(RunPin(pin), pin.json);
  if (tokens_app->parsed()) return Report(RunTokens(tokens), tokens.json);
  if (rotate_app->parsed()) return Report(RunKeysRotate(keys), keys.json);
  if (seal_app->parsed()) return Report(RunSealKeys(seal), seal.json);
  if (open_keys_app->parsed()) return Report(RunOpenKeys(open_keys), open_keys.json);
  if (retire_app->parsed()) return Report(RunKeysRetire(retire), retire.json);
  if (address_app->parsed()) return Report(RunAddress(address), address.json);
  if (certificate_app->parsed()) return Report(RunCertificate(certificate), certificate.json);
  if (join_app->parsed()) return Report(RunJoinToken(join), join.json);
  if (drain_app->parsed()) return Report(RunDrain(drain), drain.json);
  if (fill_app->parsed()) return Report(RunFill(fill), fill.json);
  if (openapi_app->parsed()) return PrintOpenApi();
  if (move.parsed()) return Report(move.Run(), move.json());
  bool sound = true;
  const int status = Report(backups.Run(&sound), backups.json());
  return sound ? status : 1;
}

}  // namespace
}  // namespace ferry::server

int main(int argc, char** argv) {
  return ferry::server::Main(argc, argv);
}

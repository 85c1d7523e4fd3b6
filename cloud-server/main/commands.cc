#include "cloud-server/main/commands.h"

#include <pthread.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdio>

#include "cloud-server/main/backup/folder_lock.h"
#include "cloud-server/main/file_limit.h"
#include "cloud-server/main/online_keys/key_ring.h"
#include "cloud-server/main/truth/claim.h"
#include "cloud-server/main/truth/patience.h"
#include "cloud-server/store/open.h"
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/net/certificate.h"

namespace ferry::server {
namespace {

void Print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// The ferry-device beside this program; empty when there is none.
std::string DeviceProgramBeside() {
  char self[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", self, sizeof self);
  if (size <= 0) return "";
  std::string path = sys::JoinPath(
      sys::ParentPath(std::string_view(self, static_cast<size_t>(size))), "ferry-device");
  return sys::Exists(sys::SystemFileSystem(), path) ? path : "";
}

// What `ferry login --pin` believes: the server's authority, or the first certificate of a chain
// that was given.
Result<std::string> AdminPin(const ServerHome& home, const AdminDoorOptions& options,
                             const Node& node) {
  if (options.chain_file.empty()) return home.authority_pin;
  return net::CertificatePin(node.admin_options().tls->certificate_pem);
}

// Before anything is made: that the database is there, and that it is no other server's.
Status CheckUnused(const std::string& place) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(place));
  FERRY_ASSIGN_OR_RETURN(const std::string shown, ShownPlace(place));
  return store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const AccountRow admin, tx.accounts().Get(kAdminAccount));
    FERRY_ASSIGN_OR_RETURN(const auto ring, tx.access().Setting(kKeyRingSetting));
    if (admin.password.empty() && !ring) return OkStatus();
    return Status::Of(Code::kAlreadyExists,
                      "{} has the rows of a server; another node of it runs on a copy of that "
                      "server's directory",
                      shown);
  });
}

// Notes where the store is, so that the commands beside the server open the same.
Status UseStore(ServerHome& home, const std::string& store, const NodeOptions& options) {
  const std::string before = home.config.store;
  if (!store.empty()) FERRY_TRY(SetStore(home.config, store));
  if (!home.config.store.empty()) {
    FERRY_ASSIGN_OR_RETURN(const std::string shown, ShownPlace(home.config.store));
    LogInfo("server", "rows are in {}", shown);
  }
  if (home.config.store == before) return OkStatus();
  FERRY_TRY(Patience(sys::SystemClock(), options.wait_ms, options.pause).Try("store", [&] {
    return AsStatus(OpenTruth(home));
  }));
  return SaveConfig(sys::SystemFileSystem(), home.directory, home.config);
}

}  // namespace

Status RunInit(const InitCommand& command) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  ServerConfig config = command.config;
  if (!command.store.empty()) FERRY_TRY(SetStore(config, command.store));
  if (!config.store.empty() && !sys::Exists(fs, sys::JoinPath(command.directory, "server.json")))
    FERRY_TRY(CheckUnused(config.store));
  const Status made = MakeHome(fs, command.directory, config, sys::SystemRandom());
  if (command.if_missing && made.code() == Code::kAlreadyExists) return OkStatus();
  FERRY_TRY(made);
  FERRY_ASSIGN_OR_RETURN(const ServerHome home, OpenHome(fs, command.directory));
  // Nobody else may begin on this database from now on.
  if (command.if_missing) return AsStatus(OpenTruth(home));
  const std::string password = MakePassword(sys::SystemRandom());
  FERRY_TRY(WithAudit(home, "ferry-server init", "admin", [&](const AdminOptions& admin) {
    return SetAdminPassword(admin, password);
  }));
  if (command.json) {
    const Json json = {{"dir", command.directory},
                       {"tenant", command.config.tenant},
                       {"authority_pin", home.authority_pin},
                       {"online_keys", home.Path("online-keys.json")},
                       {"admin_password", password}};
    Print(WriteJson(json) + "\n");
    return OkStatus();
  }
  Print(
      fmt::format("A server lives in {} now.\n"
                  "admin password: {}   (kept as a hash only: note it)\n"
                  "online keys for `ferry keys init --online-keys`: {}\n"
                  "pin of its authority: {}\n"
                  "next: ferry-server run --dir {}\n",
                  command.directory, password, home.Path("online-keys.json"), home.authority_pin,
                  command.directory));
  return OkStatus();
}

Status RunServer(const RunCommand& command) {
  // Before any thread starts: all threads inherit the mask, and only the wait below sees them.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a peer that goes is an error of that write

  if (!command.key_ring.empty())
    FERRY_TRY(UseKeyRing(command.key_ring, command.key_ring_secret, command.directory));
  FERRY_ASSIGN_OR_RETURN(ServerHome home, OpenHome(sys::SystemFileSystem(), command.directory));
  FERRY_ASSIGN_OR_RETURN(
      const FolderLock lock,
      FolderLock::TakeHome(command.directory, "ferry-server run", sys::SystemClock().NowUnixMs()));
  NodeOptions options = command.node;
  options.wait_ms = 1000 * command.wait_s;
  options.pause = [&ends](int64_t ms) {
    const timespec time{ms / 1000, ms % 1000 * 1'000'000};
    return sigtimedwait(&ends, nullptr, &time) < 0;
  };
  FERRY_TRY(UseStore(home, command.store, options));
  options.files = RaiseFileLimit();
  if (options.device_program.empty()) options.device_program = DeviceProgramBeside();
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Node> node, Node::Start(home, options));
  FERRY_ASSIGN_OR_RETURN(const std::optional<std::string> password,
                         MakeFirstPassword(node->admin_options()));
  const bool tls = node->admin_options().tls.has_value();
  Print(fmt::format("devices: {}:{}\nconsole: {}\n", options.host, node->port(),
                    AdminUrl(options.admin, node->admin_port(), tls)));
  if (tls) {
    FERRY_ASSIGN_OR_RETURN(const std::string pin, AdminPin(home, options.admin, *node));
    Print(fmt::format("log in: ferry login {} --pin {}\n",
                      AdminUrl(options.admin, node->admin_port(), tls), pin));
  }
  Print(password ? fmt::format("one-time password: {}\n", *password)
                 : fmt::format("forgotten the password? ferry-server password --dir {}\n",
                               command.directory));
  int signal = 0;
  sigwait(&ends, &signal);
  LogInfo("server", "signal {}: stopping", signal);
  // A second signal ends it at once.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &ends, nullptr);
  node.reset();
  LogInfo("server", "stopped");
  return OkStatus();
}

Status RunJoinToken(const JoinTokenCommand& command) {
  FERRY_ASSIGN_OR_RETURN(ServerHome home, OpenHome(sys::SystemFileSystem(), command.directory));
  if (command.port != 0) home.last_port = command.port;
  if (home.last_port == 0) {
    return Status(Code::kFailedPrecondition,
                  "the server never ran here: give --port, the devices' port");
  }
  return WithAudit(home, "ferry-server join-token", "", [&](const AdminOptions& admin) -> Status {
    FERRY_ASSIGN_OR_RETURN(
        const NewJoinToken token,
        MakeJoinToken(admin, command.uses, command.valid_hours * 3'600'000, command.tags));
    if (command.json) {
      Print(
          WriteJson(
              {{"id", token.row.id}, {"token", token.text}, {"expires_ms", token.row.expires_ms}}) +
          "\n");
    } else {
      Print(token.text + "\n");
    }
    return OkStatus();
  });
}

}  // namespace ferry::server

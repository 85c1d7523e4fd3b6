// The operators' door: REST under /api/v1, server-sent events, console pages. README.md has the
// table of calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/admin/metrics/metrics.h"
#include "cloud-server/blob/blob.h"
#include "cloud-server/registry/registry.h"
#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "common/crypto/secret.h"
#include "common/net/certificate.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"

namespace ferry::server {

class Campaigns;
class Graphs;
class Rollout;
class Simulator;
namespace oidc {
class SignIn;
}

struct AdminOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;               // 0: any free one
  std::vector<std::string> names;  // that calls may name as their host, besides addresses
  std::optional<net::CertificateAndKey> tls;  // absent: plain HTTP
  std::vector<std::string> proxies;           // whose word on who calls is taken
  Store* store = nullptr;                     // borrowed, as all below
  BlobStore* blobs = nullptr;
  Registry* registry = nullptr;
  Rollout* rollout = nullptr;
  Simulator* simulator = nullptr;  // tries drafts; null: this server tries none
  Campaigns* campaigns = nullptr;
  Graphs* graphs = nullptr;  // null: this server has no program that reads models
  sys::Clock* clock = nullptr;
  sys::Random* random = nullptr;
  // What join tokens tell devices (common/trust/join.h): where the device port is and which
  // authority its certificate has.
  std::string tenant = "default";
  std::string device_host;
  uint16_t device_port = 0;
  std::string authority_pin;                      // "sha256:<hex>"
  const crypto::Secret32* have_secret = nullptr;  // as SealHave's; null: have texts are not read
  // What the verifier of language models shows; empty: the server runs none.
  std::function<Json()> verify_targets;
  std::function<Json()> verify_sessions;
  // What the server knows of its own size and age, for the status; empty: nothing.
  std::function<Json()> upkeep;
  // What other rooms add to GET /metrics; empty: nothing.
  std::function<std::vector<Metric>()> metrics;
  // Keeps the fleet in memory from the start on, and notes each day what it runs.
  bool note_fleet = false;
  bool open_metrics = false;            // GET /metrics needs no token
  std::function<bool()> bus_connected;  // to the other nodes; empty: there is one node
  // The node is being drained: nobody shall send it devices; empty: it never is.
  std::function<bool()> draining;
  // The database serves a newer release and this one no more; empty: it always does.
  std::function<bool()> left_behind;
  // Where users may sign in besides; null: nowhere.
  oidc::SignIn* sign_in = nullptr;
  // Looks for what may go, and lets it go unless it is a dry run; empty: this server does not.
  std::function<Result<Json>(bool dry_run)> collect;
};

inline constexpr size_t kMaxAdminBodyBytes = 16 << 20;  // of a JSON body, after login
inline constexpr int64_t kSessionLifeMs = 30 * int64_t{86'400'000};
inline constexpr int64_t kOneTimePasswordLifeMs = 24 * int64_t{3'600'000};

// The setting that `ferry-server restore` leaves: {"backup_ms","restored_ms"}, as in GET /status.
inline constexpr const char* kRestoredSetting = "server.restored";

// Serves until it is destroyed (which waits for running requests).
class AdminServer {
 public:
  virtual ~AdminServer() = default;
  virtual uint16_t port() const = 0;
  static Result<std::unique_ptr<AdminServer>> Start(const AdminOptions& options);
};

// What GET /api/v1/openapi.json answers, for people: OpenAPI 3.1.
Result<std::string> OpenApiText();

// A password that logs in once, within kOneTimePasswordLifeMs; the one before is void.
Result<std::string> MakeOneTimePassword(const AdminOptions& options);
// The same for the first start of a server; nothing at later starts, whose logs need no password.
Result<std::optional<std::string>> MakeFirstPassword(const AdminOptions& options);
// A bearer token made without a login, for the command line on the same machine.
Result<std::string> MakeAdminToken(const AdminOptions& options, const std::string& name);
// Who is logged in. The id is no token: it names one to RevokeAdminToken (kNotFound when there is
// none), whose next call is refused.
struct AdminToken {
  std::string id;
  std::string name;
  int64_t created_ms = 0;
  int64_t last_used_ms = 0;  // to the minute; 0: never
  int64_t expires_ms = 0;
};
Result<std::vector<AdminToken>> AdminTokens(const AdminOptions& options);
Status RevokeAdminToken(const AdminOptions& options, const std::string& id);
// A token that lets `uses` devices join within `valid_ms`, which the operator then calls by `tags`.
// kNotFound before a root was uploaded: the token pins it.
struct NewJoinToken {
  JoinTokenRow row;
  std::string secret;  // hex
  std::string text;    // what a device's --join takes
};
Result<NewJoinToken> MakeJoinToken(const AdminOptions& options, int64_t uses, int64_t valid_ms,
                                   std::vector<std::string> tags = {});
inline constexpr int64_t kJoinTokenLifeMs = 7 * int64_t{86'400'000};  // unless told otherwise

// The standing admin password (kept as a salted hash); at least 12 characters. Who knew the one
// before knows nothing more: all tokens end, and so does an unused one-time password.
Status SetAdminPassword(const AdminOptions& options, const std::string& password);

}  // namespace ferry::server

// One running server: everything that `ferry-server run` starts, wired up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/admin/admin.h"
#include "cloud-server/ingest/limits.h"
#include "cloud-server/main/door/admin_door.h"
#include "cloud-server/main/door/oidc_door.h"
#include "cloud-server/main/door/verify_door.h"
#include "cloud-server/main/home.h"

namespace ferry::server {

// A whole handshake takes about a millisecond of one core with the login behind it: a node stays
// able to serve those who are in.
inline constexpr int kHandshakesPerSecond = 500;

struct NodeOptions {
  std::string host = "127.0.0.1";  // devices' door
  uint16_t port = 0;
  AdminDoorOptions admin;
  OidcDoorOptions oidc;        // where users may sign in besides
  std::string device_program;  // for simulations; empty: releases with one fail there
  Limits limits;               // of what devices bring in and what is kept
  VerifyDoorOptions verify;
  bool webhook_private = false;           // webhooks may call loopback and private addresses
  std::vector<std::string> mirrors{};     // as trust::MirrorFromText: where devices fetch first
  bool redirects = true;                  // of content to the bucket, where there is one
  std::string bus;                        // nats://..: wake-ups between nodes; empty: there is one
  std::string blob;                       // s3://..: where content lies; empty: in the directory
  int deltas = 4;                         // bases of each version that deltas are made from
  int64_t files = INT64_MAX;              // that may be open at once
  int64_t max_devices = 0;                // whose lines are open at once; 0: kMaxSessions
  int handshakes = kHandshakesPerSecond;  // of devices, that begin a second; 0: no limit
  int64_t wait_ms = 0;                    // for a store, bus or bucket that does not answer yet
  // Sleeps while one is waited for; false ends the start. Empty: it just sleeps.
  std::function<bool(int64_t ms)> pause;
};

class Node {
 public:
  virtual ~Node() = default;  // stops everything, devices' door first
  virtual uint16_t port() const = 0;
  virtual uint16_t admin_port() const = 0;
  // What functions of cloud-server/admin take.
  virtual const AdminOptions& admin_options() const = 0;
  // `home` outlives the node. Errors name the port, the file, the key.
  static Result<std::unique_ptr<Node>> Start(const ServerHome& home, const NodeOptions& options);
};

// Opens the store of `home` and gives `use` what functions of cloud-server/admin need; no server
// runs for it.
Status WithAdmin(const ServerHome& home, const std::function<Status(const AdminOptions&)>& use);
// The same for a command that changes something, with its row in the audit log: "ferry-server
// password", and what it is done to.
Status WithAudit(const ServerHome& home, const std::string& command, const std::string& target,
                 const std::function<Status(const AdminOptions&)>& use);

}  // namespace ferry::server

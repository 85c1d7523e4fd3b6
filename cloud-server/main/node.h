// One running server: everything that `ferry-server run` starts, wired up.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cloud-server/admin/admin.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/verify_door.h"

namespace ferry::server {

struct NodeOptions {
  std::string host = "127.0.0.1";  // devices' door
  uint16_t port = 0;
  std::string admin_host = "127.0.0.1";
  uint16_t admin_port = 0;
  std::string device_program;  // for simulations; empty: releases with one fail there
  VerifyDoorOptions verify;
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

}  // namespace ferry::server

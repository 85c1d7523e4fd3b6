// A server's directory: keys, certificates, database, content.
//
//   server.json          tenant, names in the certificate, host that join tokens give, where the
//                        store is
//   run.json             ports of the last run
//   ca.pem ca.key        the certificate authority that devices pin
//   server.pem server.key
//   line.json authorities/  those that take its place, and addresses: line/authorities.h
//   keys/*.key           snapshot, timestamp, director (Ed25519), escrow (X25519), content
//                        (secret); keys/next and keys/old: online_keys/key_files.h
//   drain.json draining.json  what `ferry-server drain` asked, how far it is: drain/drain_files.h
//   ring.json            which sealed key ring it has seen: online_keys/ring_note.h
//   online-keys.json     the public halves that the publisher's next root shall name, for
//                        `ferry keys init` and `ferry keys rotate`
//   ferry.db             the store, when it is on SQLite
//   content/ scratch/    sealed files; plain packages while they are simulated
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cloud-server/main/line/authorities.h"
#include "cloud-server/registry/registry.h"
#include "common/crypto/secret.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

struct ServerConfig {
  std::string tenant = "default";
  std::vector<std::string> names{"localhost", "127.0.0.1"};  // in the certificate
  std::string device_host = "127.0.0.1";                     // where join tokens send devices
  std::string store{};  // an address of PostgreSQL, with its password; empty: ferry.db
};

// What --store says: an address of PostgreSQL, or "ferry.db". kInvalidArgument, without the text.
Status SetStore(ServerConfig& config, const std::string& store);

// What `run` reads.
struct ServerHome {
  std::string directory;
  ServerConfig config;
  std::string certificate_pem;  // the server's, then the authority's
  std::string private_key_pem;
  std::string authority_pin;                      // of join tokens and operators: what most know
  std::string authority_folder;                   // where its files are
  std::vector<net::CertificateAndKey> further{};  // of the authorities after it
  OnlineSecrets secrets;
  crypto::Secret32 content_secret;
  uint16_t last_port = 0;  // of the last run; 0: none yet

  std::string Path(std::string_view name) const { return sys::JoinPath(directory, name); }
  // For OpenStore.
  std::string StorePlace() const { return config.store.empty() ? Path("ferry.db") : config.store; }
};

// Makes all files; the database is empty yet. kAlreadyExists when there is a server;
// kInvalidArgument for a tenant's name that cannot stand in a certificate or a wrapped key's
// context; errors name the file.
Status MakeHome(sys::FileSystem& fs, const std::string& directory, const ServerConfig& config,
                sys::Random& random);
// kNotFound when `ferry-server init` was not run there.
Result<ServerHome> OpenHome(sys::FileSystem& fs, const std::string& directory);
// What server.json says.
std::string ConfigText(const ServerConfig& config);
// Replaces server.json.
Status SaveConfig(sys::FileSystem& fs, const std::string& directory, const ServerConfig& config);
// Remembers the ports for `join-token`.
Status SavePorts(sys::FileSystem& fs, const ServerHome& home, uint16_t port, uint16_t admin_port);

}  // namespace ferry::server

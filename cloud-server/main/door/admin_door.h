// How the operators' door is spoken to: TLS unless it is on loopback, or told otherwise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cloud-server/main/home.h"
#include "common/net/certificate.h"

namespace ferry::server {

struct AdminDoorOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;          // 0: any
  bool tls = false;           // on loopback too
  bool plain = false;         // off loopback too: a proxy ends TLS
  std::string chain_file;     // PEM, certificate first; empty: one of the server's own authority
  std::string key_file;       // PEM
  bool open_metrics = false;  // GET /metrics needs no token
  std::vector<std::string> proxies;  // addresses whose word on who calls is taken
};

// What the door shows; nothing: it speaks plain HTTP. kInvalidArgument for options that exclude
// each other; errors of files name them.
Result<std::optional<net::CertificateAndKey>> AdminIdentity(sys::FileSystem& fs,
                                                            const ServerHome& home,
                                                            const AdminDoorOptions& options);

// "https://ferry.example:8443/", as people call the door.
std::string AdminUrl(const AdminDoorOptions& options, uint16_t port, bool tls);

}  // namespace ferry::server

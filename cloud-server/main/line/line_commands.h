// ferry-server keys rotate authority, keys retire, address: by what devices know this server, and
// where they find it.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/main/node.h"

namespace ferry::server {

struct RetireCommand {
  std::string directory;
  bool force = false;  // although devices lack the root that names the next authority
  bool json = false;
};
// Retires the oldest authority: first from the next root's line; once the newest root does not name
// it and all devices have that root, its key too.
Status RunKeysRetire(const RetireCommand& command);

struct AddressCommand {
  std::string directory;
  std::vector<std::string> addresses;  // "host:port", the first tried first; empty: they are shown
  bool json = false;
};
Status RunAddress(const AddressCommand& command);

struct CertificateCommand {
  std::string directory;
  std::vector<std::string> names;
  std::string to;  // a folder: mirror.pem, mirror.key
  int valid_days = 365;
  bool json = false;
};
// Writes a certificate for a mirror of content, which devices believe as they do the server.
Status RunCertificate(const CertificateCommand& command);

// What a publisher has to do next for the root to say it.
std::string NextRootText(const ServerHome& home);

}  // namespace ferry::server

// The three commands of the protocol by which tuf-conformance drives a client. Each answers ok, or
// what is wrong.
#pragma once

#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::tuf {

struct ClientOptions {
  std::string metadata_dir;
  std::string metadata_url;
  std::vector<std::string> target_names;
  std::string target_base_url;
  std::string target_dir;
  std::string ca;     // certificates for https; the system's when empty
  std::string token;  // for targets: a bearer token; none when empty
};

// Keeps the root in `trusted_root` as the first that is trusted. Asks no server.
Status Init(const ClientOptions& options, const std::string& trusted_root);
// Brings the kept metadata up to date.
Status Refresh(const ClientOptions& options);
// Refreshes once, then fetches the targets in order; what is there already with the signed length
// and hashes is not fetched again. A target's file is its quoted path below target_dir.
Status Download(const ClientOptions& options);

}  // namespace ferry::tuf

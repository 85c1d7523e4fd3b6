// The commands of ferry-server.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/main/node.h"

namespace ferry::server {

struct InitCommand {
  std::string directory;
  ServerConfig config;
  bool json = false;
};
// Prints the admin password, which is kept as a hash only.
Status RunInit(const InitCommand& command);

struct RunCommand {
  std::string directory;
  NodeOptions node;
};
// Until SIGTERM or SIGINT.
Status RunServer(const RunCommand& command);

struct JoinTokenCommand {
  std::string directory;
  int64_t uses = 1;
  int64_t valid_hours = 24;
  uint16_t port = 0;  // 0: that of the last run
  bool json = false;
};
Status RunJoinToken(const JoinTokenCommand& command);

}  // namespace ferry::server

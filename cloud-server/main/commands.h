// The commands of ferry-server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cloud-server/main/node.h"

namespace ferry::server {

struct InitCommand {
  std::string directory;
  ServerConfig config;
  std::string store;  // --store; empty: ferry.db
  bool if_missing = false;
  bool json = false;
};
// Prints the admin password, which is kept as a hash only. With if_missing, for services, it prints
// none (the first start of `run` prints a one-time password) and does nothing where a server lives.
// kAlreadyExists also where the store has a server's rows.
Status RunInit(const InitCommand& command);

struct RunCommand {
  std::string directory;
  std::string store;              // --store; empty: where it was
  std::string key_ring;           // a file that makes an empty directory that of a node
  std::string key_ring_secret{};  // where its secret is; empty: the environment
  NodeOptions node;
  int64_t wait_s = 30;  // for a store, bus or bucket that does not answer yet
};
// Until SIGTERM or SIGINT. The first start prints a one-time password.
Status RunServer(const RunCommand& command);

struct JoinTokenCommand {
  std::string directory;
  int64_t uses = 1;
  int64_t valid_hours = 24;
  uint16_t port = 0;  // 0: that of the last run
  std::vector<std::string> tags;
  bool json = false;
};
Status RunJoinToken(const JoinTokenCommand& command);

struct PasswordCommand {
  std::string directory;
  bool make = false;  // whatever standard input holds
  bool json = false;
};
// Sets the admin password to the first line of standard input, or makes one and prints it when
// that is empty or a terminal.
Status RunPassword(const PasswordCommand& command);

struct TokensCommand {
  std::string directory;
  std::optional<std::string> revoke;  // an id; the list otherwise
  bool json = false;
};
Status RunTokens(const TokensCommand& command);

struct KeysCommand {
  std::string directory;
  std::vector<std::string> roles;  // all when empty
  bool again = false;              // also where keys wait already
  bool json = false;
};
// Makes keys that wait for a root which names them, and exports what that root shall name.
Status RunKeysRotate(const KeysCommand& command);
struct PinCommand {
  std::string directory;
  bool json = false;
};
// Prints the pin of the server's authority: what `ferry login --pin` takes, and join tokens carry.
Status RunPin(const PinCommand& command);

// Without letters that look alike; 20 of 32 are 100 bits.
std::string MakePassword(sys::Random& random);

}  // namespace ferry::server

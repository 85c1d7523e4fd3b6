// Where a server's private keys lie, and how fresh ones take their place.
//
//   keys/<role>.key              in use; the newest root names them
//   keys/next/<role>.key         waiting for a root that names them
//   keys/old/escrow-<id>.key     escrow keys from before, for opening alone
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cloud-server/registry/online_secrets.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace ferry::server {

// Any thread; files are replaced whole.
class KeyFiles : public KeySource {
 public:
  // `directory`: the server's; `fs` outlives it. `on_settled`, which may be empty: a root is in
  // use, its keys are in their places.
  KeyFiles(sys::FileSystem& fs, std::string directory, std::function<void()> on_settled = nullptr);

  Result<WaitingKeys> Waiting() override;
  Status Settle(const OnlineSecrets& present) override;

  // The keys in use and the old ones. kNotFound and the like name the file.
  Result<OnlineSecrets> Read() const;
  // Makes and writes the first keys.
  Status Make(sys::Random& random);
  // Makes waiting keys of these roles, where none waits or `again`. Returns the roles that got one.
  // kInvalidArgument for a role that the server has no key of.
  Result<std::vector<std::string>> MakeWaiting(std::span<const std::string> roles, bool again,
                                               sys::Random& random);
  // online-keys.json: what the next root shall name.
  Status Export(const trust::OnlineKeys& keys);

 private:
  std::string InUse(std::string_view role) const;
  std::string Next(std::string_view role) const;

  Status MoveTaken(const OnlineSecrets& present);

  sys::FileSystem& fs_;
  std::string directory_;
  std::function<void()> on_settled_;
};

// "director", "escrow", "personal", "snapshot", "timestamp".
std::span<const std::string_view> OnlineRoles();

}  // namespace ferry::server

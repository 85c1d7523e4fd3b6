// Where users may sign in besides, as `ferry-server run` is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cloud-server/oidc/sign_in.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "common/sys/random.h"

namespace CLI {
class App;
}

namespace ferry::server {

struct OidcDoorOptions {
  std::string issuer;  // empty: none
  std::string client;
  std::string secret_file;  // empty: a public client
  std::string name;         // empty: the issuer's host
  std::string scope = "openid profile email";
  std::string user_claim = "preferred_username";
  std::string roles_claim = "groups";
  std::vector<std::string> roles;
  std::string return_url;
  std::string ca_file;
};
void AddOidcOptions(CLI::App& run, OidcDoorOptions& options);

// Null without an issuer. kInvalidArgument names the option; errors of files name them. Asks nobody
// yet.
Result<std::unique_ptr<oidc::SignIn>> MakeSignIn(const OidcDoorOptions& options,
                                                 sys::FileSystem& fs, const sys::Clock& clock,
                                                 sys::Random& random);

}  // namespace ferry::server

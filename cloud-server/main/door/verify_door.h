// The verifier of a running server: its threads, its targets as they are published, and the door
// that devices come through.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/main/gated_executor.h"
#include "cloud-server/verify/source.h"
#include "cloud-server/verify/verify.h"
#include "common/crypto/secret.h"
#include "common/net/server.h"

namespace ferry::server {

struct VerifyDoorOptions {
  std::vector<std::string> targets;  // PACKAGE or PACKAGE@VERSION; empty: no verifier
  int64_t memory_mb = 1024;          // of KV caches, shared evenly by the targets
  int64_t threads = 0;               // of forward passes; 0: one per core
  int64_t sessions = 4096;
};

class VerifyDoor {
 public:
  struct Parts {
    Store* store = nullptr;  // borrowed, as all below
    Registry* registry = nullptr;
    sys::FileSystem* fs = nullptr;
    sys::Clock* clock = nullptr;
    const crypto::Secret32* content_secret = nullptr;  // makes the tokens that devices show
    std::string scratch;
  };
  // kInvalidArgument names an option that does not fit. Targets that are published load while the
  // server runs already; others are waited for.
  static Result<std::unique_ptr<VerifyDoor>> Start(const VerifyDoorOptions& options,
                                                   const Parts& parts);
  // Once no channel reaches it any more.
  ~VerifyDoor();

  net::SplitDoor door();
  // As Verifier::SendAway, soon. Any thread.
  void SendAway(int64_t count);
  VerifyView View() const { return verifier_->View(); }

 private:
  VerifyDoor(const VerifyDoorOptions& options, const Parts& parts, std::vector<TargetName> names);
  Result<std::string> Authenticate(const std::string& token) const;
  Status Authorize(const std::string& device) const;
  std::string TenantOf(const std::string& device) const;
  void Look();  // for versions to load
  void Load(const TargetName& name);

  const VerifyDoorOptions options_;
  const Parts parts_;
  const std::vector<TargetName> names_;
  TargetSource source_;
  std::map<std::string, std::string> seen_;  // package -> version, or why there is none
  std::unique_ptr<sys::Parallel> parallel_;
  GatedExecutor executor_{"verify"}, passes_{"passes"};
  GatedExecutor loader_{"targets"};
  std::unique_ptr<Verifier> verifier_;
};

}  // namespace ferry::server

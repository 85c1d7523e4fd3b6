#include "cloud-server/main/online_keys/root_watch.h"

#include "common/base/log.h"

namespace ferry::server {

void RootWatch::Start(Registry* registry) {
  registry_ = registry;
  executor_.PostAfter(kRootLookMs, [this] { Look(); });
}

void RootWatch::Look() {
  const Status followed = registry_->FollowRoot();
  std::string trouble = followed.ok() ? "" : followed.ToString();
  if (trouble != trouble_) {
    if (!trouble.empty()) LogError("server", "the newest root: {}", trouble);
    if (trouble.empty()) LogInfo("server", "the newest root's keys are in use");
    trouble_ = std::move(trouble);
  }
  executor_.PostAfter(kRootLookMs, [this] { Look(); });
}

}  // namespace ferry::server

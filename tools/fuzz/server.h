// A whole server in memory, without sockets or threads: what is behind both of its doors. The same
// on every run.
#pragma once

#include <memory>
#include <string>

#include "cloud-server/blob/blob.h"
#include "cloud-server/bus/bus.h"
#include "cloud-server/campaign/campaigns.h"
#include "cloud-server/ingest/ingest.h"
#include "cloud-server/registry/registry.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/store/sqlite/sqlite_store.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/secret.h"
#include "common/crypto/x25519.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/network.h"

namespace ferry::fuzz {

inline constexpr uint64_t kWorldSeed = 21;
inline constexpr uint32_t kJoinUses = 100;

// With a root, package "digits" 1.0.0, a join token of `join_secret` and the device "d1".
struct FuzzServer {
  FuzzServer();
  // A release of it to all devices of os "android", begun.
  void Release();

  sys::SimWorld world{kWorldSeed};
  sys::SimNetwork net{world};
  sys::SimFileSystem fs;
  std::unique_ptr<server::Store> store;
  std::unique_ptr<server::BlobStore> blobs;
  std::unique_ptr<server::Bus> bus = server::MakeInprocBus();
  server::OnlineSecrets secrets;
  crypto::Secret32 content_secret;
  std::unique_ptr<server::Registry> registry;
  std::unique_ptr<server::Rollout> rollout;
  std::unique_ptr<server::Campaigns> campaigns;
  std::unique_ptr<server::Ingest> ingest;
  Bytes join_secret = Bytes(32, 7);

 private:
  void Publish();
  void AddRows();
};

}  // namespace ferry::fuzz

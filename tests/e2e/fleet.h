// A server, a publisher and devices in one simulated world.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/blob/blob.h"
#include "cloud-server/bus/bus.h"
#include "cloud-server/gateway/gateway.h"
#include "cloud-server/ingest/ingest.h"
#include "cloud-server/registry/registry.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/store/store.h"
#include "common/base/json.h"
#include "common/sys/sim/filesystem.h"
#include "common/sys/sim/network.h"
#include "common/sys/sim/world.h"
#include "common/trust/builder.h"
#include "common/trust/join.h"
#include "device-runtime/agent/agent.h"

namespace ferry::e2e {

inline const sys::Endpoint kServer{"server", 7443};

// The server's rooms over a simulated disk and network.
struct Server {
  Server(sys::SimWorld& world, sys::SimNetwork& network, server::Simulator* simulator,
         const std::string& tenant);
  ~Server();
  trust::JoinToken Token(const Bytes& root_document, int64_t uses);
  // As the operator sees a release.
  server::ReleaseRow Release(const std::string& id);
  std::vector<server::EventRow> Events(const std::string& id);

  sys::SimWorld& world;
  sys::SimNetwork& network;
  const std::string tenant;
  sys::SimFileSystem disk;
  std::unique_ptr<sys::Executor> executor;
  server::OnlineSecrets secrets;
  crypto::Secret32 content_secret;
  std::unique_ptr<server::Store> store;
  std::unique_ptr<server::BlobStore> blobs;
  std::unique_ptr<server::Bus> bus;
  std::unique_ptr<server::Registry> registry;
  std::unique_ptr<server::Rollout> rollout;
  std::unique_ptr<server::Ingest> ingest;
  std::unique_ptr<server::Gateway> gateway;
};

// Offline keys and what they signed so far.
struct Publisher {
  Publisher(sys::SimWorld& world, Server& server);
  // Seals, signs and uploads a version of "digits".
  void Publish(const std::string& version, const std::string& behaviour,
               const std::string& base = "", const std::string& fallback = "");

  sys::SimWorld& world;
  Server& server;
  sys::SimFileSystem disk;
  trust::SigningKey root_key, targets_key;
  trust::Root root;
  Bytes root_document;
  trust::Targets targets;
  std::map<std::string, Bytes> packages;
  int64_t counter = 0;
};

struct DeviceProfile {
  std::string name;
  std::string os, app_version, device_class;
  std::vector<std::string> tags;
  bool push = true;
};

struct Device {
  Device(sys::SimWorld& world, sys::SimNetwork& network, const DeviceProfile& profile,
         const trust::JoinToken& token);
  ~Device();
  std::string Version() const;
  std::string id() const { return agent->identity().device_id; }
  // One image: the task runs, and a row goes to the outbox.
  void Image();

  DeviceProfile profile;
  sys::SimFileSystem disk;
  std::unique_ptr<sys::Executor> executor, worker;
  std::unique_ptr<task::TaskSet> tasks;
  std::unique_ptr<sys::Dialer> dialer;
  std::unique_ptr<store::Outbox> outbox;
  std::unique_ptr<agent::Agent> agent;
  int images = 0;
  int errors = 0;
};

// Says of a version what `verdicts` says; passes without a word there.
class VerdictSimulator : public server::Simulator {
 public:
  Result<server::SimulationOutcome> Run(const server::SimulationOrder& order) override;
  Result<Json> Try(const server::Draft&) override { return NoDrafts(); }
  Result<std::unique_ptr<sys::ReadableFile>> Make(const server::Draft&) override {
    return NoDrafts();
  }
  std::map<std::string, std::string> failures;  // version -> why

 private:
  static Status NoDrafts() { return Status(Code::kUnsupported, "no drafts are tried here"); }
};

class Fleet {
 public:
  explicit Fleet(uint64_t seed = 1, const std::string& tenant = "default");
  // The six devices of the demo: five that the rule means, "old" is outside.
  void AddSix();
  Device& Add(const DeviceProfile& profile);
  Device& operator[](const std::string& name) { return *devices.at(name); }
  // Creates and starts a release of "digits" with the demo's rule and stages; its id.
  std::string Start(const std::string& version);
  bool Until(const std::function<bool()>& done, int64_t limit_ms = 600'000);
  bool UntilState(const std::string& release, server::ReleaseState state,
                  int64_t limit_ms = 600'000);
  // How many devices run this version.
  int Running(const std::string& version) const;
  void ImagesEverywhere();

  sys::SimWorld world;
  sys::SimNetwork network;
  VerdictSimulator simulator;
  Server server;
  Publisher publisher;
  std::map<std::string, std::unique_ptr<Device>> devices;
};

}  // namespace ferry::e2e

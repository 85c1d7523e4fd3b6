// The server's own rooms over a simulated disk and network, with what may go wrong below them.
#pragma once

#include <functional>
#include <memory>
#include <set>
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
#include "common/sys/sim/filesystem.h"
#include "common/trust/join.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/world/faulty_store.h"
#include "tools/fleetsim/world/wrong_clock.h"

namespace ferry::fleetsim {

inline const sys::Endpoint kServer{"server", 7443};

// The bus of sessions, and of small devices whose line is open.
class FleetBus : public server::Bus {
 public:
  explicit FleetBus(Sim& sim) : sim_(sim), sessions_(server::MakeInprocBus()) {}
  void Publish(const std::string& device, uint64_t epoch) override;
  std::unique_ptr<server::BusSubscription> Subscribe(const std::string& device,
                                                     OnWake handler) override {
    return sessions_->Subscribe(device, std::move(handler));
  }
  std::set<std::string> Listening() const override;
  bool IsListening(const std::string& device) const override;

 private:
  Sim& sim_;
  std::unique_ptr<server::Bus> sessions_;
};

// A commit takes this long: what comes meanwhile goes into the next one. The server of a large
// fleet has a slow disk, so that a group is as large as one is under load.
inline constexpr int64_t kCommitMs = 20, kSlowCommitMs = 3'000;
inline constexpr int64_t kSlowCommitDevices = 20'000;

class CommitExecutor : public sys::Executor {
 public:
  CommitExecutor(std::unique_ptr<sys::Executor> inner, int64_t commit_ms)
      : inner_(std::move(inner)), commit_ms_(commit_ms) {}
  void Post(sys::Task task) override { inner_->PostAfter(commit_ms_, std::move(task)); }
  TimerId PostAfter(int64_t delay_ms, sys::Task task) override {
    return inner_->PostAfter(delay_ms, std::move(task));
  }
  void Cancel(TimerId id) override { inner_->Cancel(id); }

 private:
  std::unique_ptr<sys::Executor> inner_;
  const int64_t commit_ms_;
};

// Versions whose recorded cases fail.
class CaseSimulator : public server::Simulator {
 public:
  Result<server::SimulationOutcome> Run(const server::SimulationOrder& order) override;
  Result<Json> Try(const server::Draft&) override;
  Result<std::unique_ptr<sys::ReadableFile>> Make(const server::Draft&) override;
  std::set<std::string> failing;
};

class Backend {
 public:
  explicit Backend(Sim& sim);
  ~Backend();
  // Makes the rooms over the store; again after Stop, as a process that starts.
  Status Start();
  void Stop();
  // The same, and the lines of devices end with it: what it did not answer is sent again.
  void Die();
  // Stops answering until then; its memory stays.
  void StallUntil(int64_t virtual_ms);
  // Neither stopped nor stalled.
  bool answers() const;
  bool started() const { return rollout != nullptr; }
  trust::JoinToken Token(const Bytes& root_document, int64_t uses);
  Result<server::ReleaseRow> Release(const std::string& id);

  WrongClock clock;
  sys::SimFileSystem disk;
  server::OnlineSecrets secrets;
  crypto::Secret32 content_secret;
  std::unique_ptr<FaultyStore> store;
  std::unique_ptr<server::BlobStore> blobs;
  FleetBus bus;
  CaseSimulator cases;
  std::unique_ptr<server::Registry> registry;
  std::unique_ptr<server::Ingest> ingest;
  std::unique_ptr<server::Rollout> rollout;
  std::unique_ptr<server::Gateway> gateway;

 private:
  // The power is gone: the process ends, and starts on what the disk kept.
  void LosePower();
  uint64_t DiskSeed() const;
  void MakeRollout();
  void MakeGateway();

  Sim& sim_;
  std::unique_ptr<sys::Executor> executor_;
  std::unique_ptr<CommitExecutor> writer_;
  int64_t stalled_until_ms_ = 0;
  int starts_ = 0;
};

}  // namespace ferry::fleetsim

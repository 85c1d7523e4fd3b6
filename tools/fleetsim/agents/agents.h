// Whole agents in the fleet: the code of a device over a simulated disk and network, through the
// gateway.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/sys/sim/filesystem.h"
#include "device-runtime/agent/agent.h"
#include "device-runtime/task/task_set.h"
#include "pipeline/store/outbox.h"
#include "tools/fleetsim/sim.h"
#include "tools/fleetsim/world/wrong_clock.h"

namespace ferry::fleetsim {

class WholeAgent {
 public:
  WholeAgent(Sim& sim, int64_t number, const Profile& profile, const trust::JoinToken& token);
  ~WholeAgent();
  Status Start();
  // The process ends, with all that is not on the disk.
  void Stop();
  // The same, and of the disk only what was synced, or a part of what was not.
  void CutPower();
  // The version that runs; empty: none.
  std::string Version() const;
  std::string id() const { return id_; }
  const std::string& host() const { return host_; }
  // One event for its task.
  void SendEvent();

  Sim& sim;
  const int64_t number;  // in the fleet
  const Profile& profile;
  sys::SimFileSystem disk;
  WrongClock clock;
  bool damaged = false;   // a bit of its disk was flipped
  bool reachable = true;  // as the network has it

 private:
  friend class AgentRunner;
  agent::RunnerLoader Loader();
  void OnLoaded();
  Status OnDisk(const char* what);
  // The version came this far here: what the curve counts, once.
  void Reached(uint8_t version, Sim::Count what);

  const trust::JoinToken token_;
  const std::string host_;
  std::string id_, had_;
  bool booted_by_cut_ = false;
  std::set<std::pair<uint8_t, Sim::Count>> reached_;
  std::unique_ptr<sys::Executor> executor_, worker_;
  std::unique_ptr<task::TaskSet> tasks_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<store::Outbox> outbox_;
  std::unique_ptr<agent::Agent> agent_;
  int64_t events_ = 0;
};

class WholeAgents {
 public:
  explicit WholeAgents(Sim& sim) : sim_(sim) {}
  Status Enrol();
  int64_t size() const { return static_cast<int64_t>(agents_.size()); }
  // By its number in the whole fleet; null: a small device.
  WholeAgent* At(int64_t device);
  std::vector<std::unique_ptr<WholeAgent>>& all() { return agents_; }
  int64_t NumberOf(const std::string& id) const;  // -1: none
  // Who is at home and who is not, and their events.
  void EveryMinute();
  void AskAll();

 private:
  Sim& sim_;
  std::vector<std::unique_ptr<WholeAgent>> agents_;
};

}  // namespace ferry::fleetsim

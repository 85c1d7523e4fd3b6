// The mass of the fleet: small devices, one event at a time.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cloud-server/core/rows.h"
#include "tools/fleetsim/small/device.h"
#include "tools/fleetsim/world/checker.h"

namespace ferry::fleetsim {

inline constexpr int64_t kAllSampledDevices = 20'000;
inline constexpr int64_t kSampledOneIn = 16;

class SmallFleet {
 public:
  explicit SmallFleet(Sim& sim);
  // Rows of the devices, and their first polls.
  Status Enrol();
  int64_t size() const { return static_cast<int64_t>(devices_.size()); }
  Small& operator[](int64_t device) { return devices_[static_cast<size_t>(device)]; }
  const Profile& ProfileOf(int64_t device) const;
  // Hexadecimal, as ids are: the number, and what the seed makes of it.
  std::string IdOf(int64_t device) const;
  int64_t NumberOf(const std::string& id) const;  // -1: no small device

  // A wake-up of the server; false when the device is none of these.
  bool Wake(const std::string& id);
  void AddListening(std::set<std::string>* devices) const;
  bool IsListening(int64_t device) const;  // its line is open
  bool IsOnline(int64_t device) const;
  // Signatures and keys for each device are half of what a run computes, and come out alike: in a
  // fleet above kAllSampledDevices one in kSampledOneIn has its documents signed and checked, and
  // its content key wrapped. What others hear is as the server would sign it; what was forged is
  // checked by everybody.
  bool IsSampled(int64_t device) const {
    return size() <= kAllSampledDevices || device % kSampledOneIn == 0;
  }
  // Hears every report that a device makes, before anything happens to it; for tests.
  std::function<void(int64_t device, const server::ReportRow& row)> on_report;

  // ---- what faults do
  void CutPower(int64_t device);
  void SetClock(int64_t device, int64_t by_ms);
  void FillDisk(int64_t device, int64_t for_ms);
  // The server's process ended: what it did not acknowledge is sent again over the next line.
  void BreakLines();
  // Everybody asks within `within_ms`, as far as they are online.
  void AskAll(int64_t within_ms);
  server::ReportRow RowOf(int64_t device, const WaitingReport& report) const;

 private:
  // fleet.cc
  void Schedule(int64_t device);
  void RunDue();
  void SetTimer();
  void RunOne(int64_t device);
  int64_t NextPoll(int64_t device);
  void Retry(int64_t device);
  int64_t OnlineAt(int64_t device, int64_t virtual_ms) const;  // then or later
  // contact.cc
  void Contact(int64_t device);
  Result<Checker::Ticket> Ask(int64_t device, const Delivery& delivery);
  void OnAnswer(int64_t device);
  Status Check(int64_t device, const trust::Desired& desired);
  void OnDesired(int64_t device, const trust::Desired& desired);
  void Observe(int64_t device, const std::string& release);
  void FailAll(int64_t device, const Status& why);
  // install.cc
  void Begin(int64_t device, const trust::Desired& desired, const trust::DesiredPackage& wish);
  void OnPulled(int64_t device);
  bool Write(int64_t device, const Install& faults);
  void Switch(int64_t device, uint8_t version);
  void Settle(int64_t device, bool failed);
  void FailInstall(int64_t device, Code code);
  void TryAgain(int64_t device, Code code);
  void FromSpare(int64_t device);
  void RemovePackage(int64_t device);
  void Boot(int64_t device);
  // run.cc
  void PlanRun(int64_t device);
  void OnRun(int64_t device);
  void OnMeasure(int64_t device);
  void Add(int64_t device, Step step, uint8_t version, uint8_t release, Code error = Code::kOk);
  void Send(int64_t device);
  bool SendOne(int64_t device, const WaitingReport& report);
  void OnStored(int64_t device, uint32_t seq, const Status& stored);

  Sim& sim_;
  std::unique_ptr<sys::Executor> executor_;
  std::vector<Small> devices_;
  std::vector<int64_t> profile_from_;  // first device of each profile, and one past the last
  using Due = std::pair<int64_t, uint32_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  int64_t timer_ms_ = INT64_MAX;
  sys::Executor::TimerId timer_ = 0;
  std::unordered_map<int64_t, Checker::Ticket> answers_;  // on their way to the device
};

}  // namespace ferry::fleetsim

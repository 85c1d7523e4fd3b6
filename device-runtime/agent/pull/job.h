// Carries out one assignment, from the poll to the confirmed (or refused) package.
//
//   poll -> roots -> assignment -> timestamp, snapshot, targets -> choose -> download -> key ->
//   open and verify -> spare slot -> exclusive files -> load and probe -> switch -> confirm
//
// Until the switch nothing touches the running version, and each step leaves files from which the
// same assignment can be started again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device-runtime/agent/parts.h"
#include "device-runtime/agent/pull/fetch.h"
#include "device-runtime/agent/pull/refresh.h"

namespace ferry::agent {

class Job {
 public:
  // How it ended; ok also when the server has nothing newer. `done` may drop the job.
  using OnDone = std::function<void(const Status&)>;
  Job(const Parts& parts, bool by_push, OnDone done);

  void Start();
  // The gateway has an assignment with this counter. When it is newer than the one that is carried
  // out, this job ends with kCancelled: at the latest before the switch, and without a report.
  void OnWake(int64_t epoch);
  // Room for the artefact sealed and opened; of a job that ended with kDiskFull.
  uint64_t room_needed() const { return entry_.length + entry_.plain_length + kSpareBytes; }

 private:
  // job.cc: what is wanted
  void OnAssignment(const std::string& document);
  void CheckAssignment();
  void OnChain(const Status& status);
  void ReportStep(Step step, const Status& error = OkStatus());
  void Fail(const Status& error);
  void End(const Status& status);
  // choose.cc: which artefact
  Status Choose();
  bool TakeFromOtherSlot();
  // install.cc: into the slot and on
  void FetchPackage();
  void OnOpened(const Status& status);
  Status PutIntoSlot();
  void FetchNextExclusive();
  void ProbePackage();
  void ConfirmRunning();
  void OnProbed(Result<std::shared_ptr<PackageRunner>> runner);
  Status Switch(std::shared_ptr<PackageRunner> runner);

  Parts parts_;
  bool by_push_;
  OnDone done_;
  std::unique_ptr<Refresh> refresh_;
  std::unique_ptr<Fetch> fetch_;
  std::string document_;  // the signed assignment
  std::optional<trust::Assignment> assignment_;
  bool superseded_ = false;
  bool chain_is_fresh_ = false;  // from here on a failure is final
  // The choice.
  std::optional<Current> current_;
  std::string path_;  // of the artefact; empty: nothing to fetch
  trust::TargetEntry entry_;
  std::string slot_;
  bool without_deltas_ = false;
  bool same_version_ = false;  // it runs already: only exclusive files may be missing
  std::vector<std::string> exclusive_left_;
  uint64_t bytes_pulled_ = 0;
  Alive alive_;
};

}  // namespace ferry::agent

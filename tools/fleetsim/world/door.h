// What small devices speak to: the calls that a session of the gateway makes for a device that has
// proved itself, without the line, its frames and its login. Whole agents come through the gateway.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cloud-server/core/rows.h"
#include "cloud-server/rollout/rollout.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

class Door {
 public:
  explicit Door(Sim& sim) : sim_(sim) {}

  // What the device is told, not signed yet; nothing when there is nothing above `have_epoch`.
  // kUnavailable while the server does not answer.
  Result<server::UnsignedAnswer> Poll(const std::string& id, int64_t have_epoch,
                                      const std::vector<server::InstalledRow>& have);
  // `done` is called once the report is stored, or cannot be.
  void Report(int64_t device, server::ReportRow row, std::function<void(const Status&)> done);
  // The content key of a version, as a device asks for it before it opens the package.
  Status Key(const std::string& id, const Version& version, const std::string& release);
  // What whoever holds the director's key would have this device run.
  Bytes Forge(int64_t device, const std::string& id, int64_t have_epoch);

  // Versions that a document for this device named, whoever signed it: a set of bits.
  uint32_t told(int64_t device) const { return told_[static_cast<size_t>(device)]; }
  void SetDevices(size_t count) { told_.resize(count); }
  void NoteTold(int64_t device, uint8_t version) { NoteAllTold(device, uint32_t{1} << version); }
  void NoteAllTold(int64_t device, uint32_t versions) {
    told_[static_cast<size_t>(device)] |= versions;
  }

 private:
  Sim& sim_;
  std::vector<uint32_t> told_;  // by device
};

}  // namespace ferry::fleetsim

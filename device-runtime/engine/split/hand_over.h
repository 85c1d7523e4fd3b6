// Where the values of parts lie on their devices.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "device-runtime/engine/split/extract.h"
#include "device-runtime/engine/split/running_part.h"

namespace ferry::engine {

// A part on its way into a plan.
struct PartDraft {
  BackendSpan span;
  std::vector<ir::BufferId> inputs, outputs;  // roots
  std::shared_ptr<RunningPart> running;       // null: the CPU runs it
  Status failed;                              // why
};

// Gives each part its memory: a value that a device made or was sent stays there for the device's
// later parts, and goes to the host only if somebody else reads it. Memory is used again once no
// later part reads what it holds. A part for which there is none fails; then what others need
// changes, so it begins anew without it, a few times.
class HandOver {
 public:
  HandOver(const ir::Program& program, std::vector<PartDraft>& parts,
           const backends::BackendSettings& settings);

  int64_t device_bytes() const { return device_bytes_; }
  // By root buffer: made on a device, and nobody else reads it.
  const std::vector<bool>& only_there() const { return only_there_; }

 private:
  struct Device {
    std::map<ir::BufferId, RunningPart::Memory> values;
    std::multimap<int64_t, RunningPart::Memory> idle;  // by bytes
  };
  bool Give();  // false: a part failed
  void GiveUp(const Backend& backend, const Status& failed);
  void FindReaders();
  Status GiveTo(size_t part);
  Result<RunningPart::Memory> Take(const Backend& backend, Device& device, int64_t bytes);
  int64_t BytesOf(ir::BufferId root) const;

  const ir::Program& program_;
  std::vector<PartDraft>& parts_;
  const backends::BackendSettings& settings_;
  std::vector<bool> only_there_, leaves_;
  std::map<std::pair<const Backend*, ir::BufferId>, size_t> last_part_;  // that uses a value there
  std::map<const Backend*, Device> devices_;
  std::map<const Backend*, int> tries_;
  int64_t device_bytes_ = 0;
};

}  // namespace ferry::engine

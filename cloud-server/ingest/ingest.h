// Records of devices' streams on their way into the store, each exactly once.
#pragma once

#include <cstdint>
#include <string>

#include "cloud-server/store/store.h"
#include "common/sys/clock.h"

namespace ferry::proto {
class TunnelBatch;
class TunnelAck;
}  // namespace ferry::proto

namespace ferry::server {

// Any thread.
class Ingest {
 public:
  Ingest(Store& store, sys::Clock& clock) : store_(store), clock_(clock) {}

  // Stores what is new of `batch` in one transaction and fills `ack`, which may be sent: everything
  // up to its number is committed. A batch after a gap stores nothing and acknowledges what was
  // there before. kMalformed, kLimitExceeded, and the errors of Store.
  Status OnBatch(const std::string& device, const proto::TunnelBatch& batch, proto::TunnelAck* ack);

 private:
  Store& store_;
  sys::Clock& clock_;
};

}  // namespace ferry::server

// What carries frames between a device and its verifier: datagrams, in the worst case lost,
// doubled, late and out of order. TLS, the simulated link and tests implement it.
#pragma once

#include <cstdint>
#include <functional>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::llm {

struct LinkEvents {
  std::function<void(ByteView frame)> on_frame;  // the view lives until it returns
  // The way is known to be open (true) or closed; a link that cannot tell never calls it.
  std::function<void(bool up)> on_state;
};

// One end. All on the executor that it was made for; events never come from within a call.
class SplitLink {
 public:
  virtual ~SplitLink() = default;
  virtual void Start(LinkEvents events) = 0;
  // A frame that cannot be sent now is lost.
  virtual void Send(ByteView frame) = 0;
  // Wire bytes so far, lengths included, TLS not.
  virtual int64_t bytes_sent() const = 0;
  virtual int64_t bytes_received() const = 0;
  // The other end has proved who it is (sys::FrameChannel::Admit).
  virtual void Admit() {}
};

}  // namespace ferry::llm

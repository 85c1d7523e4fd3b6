// A split link over one open channel: TLS of ALPN "ferry-split/1", or a simulated network's. Device
// and server use it alike.
#pragma once

#include <memory>

#include "common/sys/net.h"
#include "device-runtime/llm/speculative/link.h"

namespace ferry::llm {

// On the channel's executor. on_state(false) comes once, when the channel has closed by itself or
// from the other end; a new connection needs a new link. May be dropped from within its own events.
class ChannelLink : public SplitLink {
 public:
  explicit ChannelLink(std::unique_ptr<sys::FrameChannel> channel);
  ~ChannelLink() override;  // closes the channel, without events

  void Start(LinkEvents events) override;
  void Send(ByteView frame) override;
  void Admit() override;
  int64_t bytes_sent() const override;
  int64_t bytes_received() const override;
  // Sends what is queued, then closes; on_state(false) follows.
  void Close();
  // Why it closed; ok while it is open.
  const Status& why_closed() const;
  std::string peer() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ferry::llm

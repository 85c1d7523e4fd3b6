#include "device-runtime/llm/speculative/channel_link.h"

#include <utility>

#include "device-runtime/llm/speculative/frames.h"

namespace ferry::llm {

// Shared with the channel's events: a user may drop the link from within one of them.
struct ChannelLink::State {
  std::unique_ptr<sys::FrameChannel> channel;
  LinkEvents events;
  Status closed;
  int64_t sent = 0;
  int64_t received = 0;
};

ChannelLink::ChannelLink(std::unique_ptr<sys::FrameChannel> channel)
    : state_(std::make_shared<State>()) {
  state_->channel = std::move(channel);
}

ChannelLink::~ChannelLink() {
  state_->channel.reset();
  state_->events = {};
}

void ChannelLink::Start(LinkEvents events) {
  state_->events = std::move(events);
  const std::weak_ptr<State> weak = state_;
  state_->channel->Start({[weak](ByteView frame) {
                            const auto state = weak.lock();
                            if (state == nullptr) return;
                            state->received += static_cast<int64_t>(WireBytes(frame.size()));
                            const auto on_frame = state->events.on_frame;
                            if (on_frame) on_frame(frame);
                          },
                          [weak](const Status& why) {
                            const auto state = weak.lock();
                            if (state == nullptr) return;
                            state->closed = why;
                            const auto on_state = state->events.on_state;
                            if (on_state) on_state(false);
                          }});
}

void ChannelLink::Send(ByteView frame) {
  // What cannot be sent is lost, as the contract of a link has it.
  if (!state_->channel->Send(frame).ok()) return;
  state_->sent += static_cast<int64_t>(WireBytes(frame.size()));
}

void ChannelLink::Admit() {
  state_->channel->Admit();
}

int64_t ChannelLink::bytes_sent() const {
  return state_->sent;
}

int64_t ChannelLink::bytes_received() const {
  return state_->received;
}

void ChannelLink::Close() {
  state_->channel->Close();
}

const Status& ChannelLink::why_closed() const {
  return state_->closed;
}

std::string ChannelLink::peer() const {
  return state_->channel->peer();
}

}  // namespace ferry::llm

#include "device-runtime/llm/speculative/sim_link.h"

#include <utility>

#include "device-runtime/llm/speculative/frames.h"

namespace ferry::llm {
namespace {

struct End : SplitLink {
  End(SimLink::State& state, sys::Executor& executor) : state(state), executor(&executor) {}
  void Start(LinkEvents given) override { events = std::move(given); }
  void Send(ByteView frame) override;
  int64_t bytes_sent() const override { return sent; }
  int64_t bytes_received() const override { return received; }

  SimLink::State& state;
  sys::Executor* executor;  // where its events run
  LinkEvents events;
  int64_t sent = 0;
  int64_t received = 0;
};

}  // namespace

struct SimLink::State : std::enable_shared_from_this<SimLink::State> {
  State(sys::Executor& device_executor, sys::Executor& server_executor, sys::Random& source,
        const SimLinkOptions& given)
      : random(source),
        options(given),
        device(*this, device_executor),
        server(*this, server_executor) {}

  void Carry(End& to, ByteView frame);
  void Deliver(End& to, Bytes frame, uint64_t sent_in);
  void Tell(End& end, bool up);

  sys::Random& random;
  SimLinkOptions options;
  End device, server;
  bool cut = false;
  const void* owner = nullptr;  // of the server's end, if it is one by MakeServerEnd
  uint64_t cuts = 0;            // frames sent before the last cut do not arrive
};

void End::Send(ByteView frame) {
  sent += static_cast<int64_t>(WireBytes(frame.size()));
  state.Carry(this == &state.device ? state.server : state.device, frame);
}

void SimLink::State::Carry(End& to, ByteView frame) {
  if (cut || random.NextDouble() < options.loss) return;
  const int copies = random.NextDouble() < options.duplicate ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    Bytes copy = ToBytes(frame);
    if (!copy.empty() && random.NextDouble() < options.damage) {
      copy[random.Below(copy.size())] ^= static_cast<uint8_t>(1 + random.Below(255));
    }
    const int64_t up_ms = options.round_trip_ms / 2;
    int64_t delay_ms = &to == &server ? up_ms : options.round_trip_ms - up_ms;
    if (options.jitter_ms > 0) {
      delay_ms += static_cast<int64_t>(random.Below(static_cast<uint64_t>(options.jitter_ms) + 1));
    }
    to.executor->PostAfter(
        delay_ms, [weak = weak_from_this(), &to, copy = std::move(copy), sent_in = cuts]() mutable {
          if (const auto self = weak.lock()) self->Deliver(to, std::move(copy), sent_in);
        });
  }
}

void SimLink::State::Deliver(End& to, Bytes frame, uint64_t sent_in) {
  if (cut || sent_in != cuts || !to.events.on_frame) return;
  to.received += static_cast<int64_t>(WireBytes(frame.size()));
  const auto on_frame = to.events.on_frame;  // the receiver may unhook itself in it
  on_frame(frame);
}

void SimLink::State::Tell(End& end, bool up) {
  end.executor->Post([weak = weak_from_this(), &end, up] {
    const auto self = weak.lock();
    if (self && end.events.on_state) end.events.on_state(up);
  });
}

namespace {

class ServerEnd : public SplitLink {
 public:
  explicit ServerEnd(std::shared_ptr<SimLink::State> state) : state_(std::move(state)) {}
  ~ServerEnd() override {
    // A later owner may have hooked up in the meantime.
    if (state_->owner == this) state_->server.events = {};
  }
  void Start(LinkEvents events) override {
    state_->owner = this;
    state_->server.events = std::move(events);
  }
  void Send(ByteView frame) override {
    if (state_->owner == this) state_->server.Send(frame);
  }
  int64_t bytes_sent() const override { return state_->server.sent; }
  int64_t bytes_received() const override { return state_->server.received; }

 private:
  std::shared_ptr<SimLink::State> state_;
};

}  // namespace

SimLink::SimLink(sys::Executor& device, sys::Executor& server, sys::Random& random,
                 const SimLinkOptions& options)
    : state_(std::make_shared<State>(device, server, random, options)) {}

SimLink::~SimLink() = default;

SplitLink& SimLink::device() {
  return state_->device;
}

SplitLink& SimLink::server() {
  return state_->server;
}

std::unique_ptr<SplitLink> SimLink::MakeServerEnd() {
  return std::make_unique<ServerEnd>(state_);
}

void SimLink::SetServerExecutor(sys::Executor& executor) {
  state_->server.executor = &executor;
}

void SimLink::SetOptions(const SimLinkOptions& options) {
  state_->options = options;
}

void SimLink::SetCut(bool cut, bool tell) {
  if (cut == state_->cut) return;
  state_->cut = cut;
  if (cut) ++state_->cuts;
  if (!tell) return;
  state_->Tell(state_->device, !cut);
  state_->Tell(state_->server, !cut);
}

void SimLink::Inject(bool to_server, ByteView frame) {
  state_->Carry(to_server ? state_->server : state_->device, frame);
}

}  // namespace ferry::llm

#include "tools/fleetsim/agents/faulty_line.h"

#include <algorithm>

#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kUnheardMs = 5'000;  // from an answer that is lost to the end of its line
constexpr uint8_t kOtherBytes = 0x5a;
constexpr const char* kMirror = "https://mirror";

class FaultyChannel : public sys::FrameChannel {
 public:
  FaultyChannel(Sim& sim, int64_t device, std::string host, sys::Executor& executor,
                std::unique_ptr<sys::FrameChannel> inner)
      : sim_(sim), device_(device), host_(std::move(host)), executor_(executor) {
    line_->inner = std::move(inner);
  }

  void Start(sys::ChannelEvents events) override {
    auto on_frame = std::move(events.on_frame);
    events.on_frame = [line = std::weak_ptr(line_), on_frame](ByteView frame) {
      const auto open = line.lock();
      if (open != nullptr && !open->deaf) on_frame(frame);
    };
    line_->inner->Start(std::move(events));
  }

  Status Send(ByteView frame) override {
    Delivery delivery;
    sim_.Strike(Strikes::kMessage, {sim_, device_, &delivery});
    if (delivery.lost) {
      Break(0);
      return OkStatus();
    }
    if (delivery.answer_lost && !std::exchange(line_->deaf, true)) Break(kUnheardMs);
    line_->free_ms = std::max(line_->free_ms, sim_.now_ms() + delivery.delay_ms);
    if (line_->free_ms <= sim_.now_ms()) return line_->inner->Send(frame);
    executor_.PostAfter(line_->free_ms - sim_.now_ms(),
                        [line = std::weak_ptr(line_), bytes = ToBytes(frame)] {
                          if (const auto open = line.lock()) (void)open->inner->Send(bytes);
                        });
    return OkStatus();
  }

  void Close() override { line_->inner->Close(); }
  std::string peer() const override { return line_->inner->peer(); }

 private:
  struct Line {
    std::unique_ptr<sys::FrameChannel> inner;
    bool deaf = false;    // what the server says is lost
    int64_t free_ms = 0;  // until then it is held up
  };

  void Break(int64_t after_ms) {
    executor_.PostAfter(after_ms, [&sim = sim_, host = host_, line = std::weak_ptr(line_)] {
      if (!line.expired()) sim.network().CutChannels(host);
    });
  }

  Sim& sim_;
  const int64_t device_;
  const std::string host_;
  sys::Executor& executor_;
  std::shared_ptr<Line> line_ = std::make_shared<Line>();
};

class FaultyDialer : public sys::Dialer {
 public:
  FaultyDialer(Sim& sim, int64_t device, std::string host, sys::Executor& executor,
               std::unique_ptr<sys::Dialer> inner)
      : sim_(sim),
        device_(device),
        host_(std::move(host)),
        executor_(executor),
        inner_(std::move(inner)) {}

  void Dial(const sys::Endpoint& to, OnDial done) override {
    inner_->Dial(to, [this, done = std::move(done)](auto channel) {
      if (channel.ok())
        channel = std::unique_ptr<sys::FrameChannel>(std::make_unique<FaultyChannel>(
            sim_, device_, host_, executor_, std::move(channel).value()));
      done(std::move(channel));
    });
  }

  void Fetch(const sys::Endpoint& to, const std::string& path, uint64_t offset,
             const std::string& authorization, OnData data, OnDone done, OnMoved moved) override {
    const bool follows = path.ends_with(sys::kMayRedirectQuery);
    Download faults;
    if (follows) sim_.Strike(Strikes::kDownload, {sim_, device_, nullptr, &faults});
    if (!faults.stale && !faults.corrupt)
      return inner_->Fetch(to, path, offset, authorization, std::move(data), std::move(done),
                           std::move(moved));
    executor_.Post([moved = std::move(moved)] { moved(kMirror); });
    const auto spoilt = [faults, once = false, data = std::move(data)](uint64_t at,
                                                                       ByteView piece) mutable {
      Bytes bytes = ToBytes(piece);
      if (faults.stale)
        for (uint8_t& byte : bytes) byte ^= kOtherBytes;
      else if (!std::exchange(once, true))
        bytes[bytes.size() / 2] ^= 1;
      return data(at, bytes);
    };
    inner_->Fetch(to, path.substr(0, path.find('?')), offset, authorization, spoilt,
                  std::move(done), {});
  }

 private:
  Sim& sim_;
  const int64_t device_;
  const std::string host_;
  sys::Executor& executor_;
  std::unique_ptr<sys::Dialer> inner_;
};

}  // namespace

std::unique_ptr<sys::Dialer> MakeFaultyDialer(Sim& sim, int64_t device, std::string host,
                                              sys::Executor& executor,
                                              std::unique_ptr<sys::Dialer> inner) {
  return std::make_unique<FaultyDialer>(sim, device, std::move(host), executor, std::move(inner));
}

}  // namespace ferry::fleetsim

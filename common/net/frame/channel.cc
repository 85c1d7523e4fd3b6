#include "common/net/frame/channel.h"

#include <algorithm>
#include <utility>

#include "common/net/frame/link.h"

namespace ferry::net {
namespace {

// What only the user's executor touches; shared with tasks under way.
struct User {
  std::shared_ptr<const sys::ChannelEvents> events;
  bool closed = false;

  void Close(const Status& why) {
    closed = true;
    const auto taken = std::exchange(events, nullptr);
    if (taken != nullptr && taken->on_close) taken->on_close(why);
  }
};

class Channel : public sys::FrameChannel {
 public:
  Channel(std::shared_ptr<Link> link, std::shared_ptr<Home> home, std::string peer, Framing framing)
      : link_(std::move(link)), home_(std::move(home)), peer_(std::move(peer)), framing_(framing) {}

  ~Channel() override {
    user_->events = nullptr;
    home_->Leave();
    link_->Close();
  }

  void Start(sys::ChannelEvents events) override {
    user_->events = std::make_shared<sys::ChannelEvents>(std::move(events));
    const std::weak_ptr<Link> link = link_;
    link_->Start(
        [user = user_, home = home_, link](Bytes frame) {
          return home->Post([user, link, frame = std::move(frame)] {
            const auto alive = user->events;
            if (alive != nullptr && alive->on_frame) alive->on_frame(frame);
            if (const auto held = link.lock()) held->Taken(frame.size() + kFrameOverhead);
          });
        },
        [user = user_, home = home_](const Status& why) {
          home->Post([user, why] { user->Close(why); });
        });
  }

  Status Send(ByteView frame) override {
    FERRY_TRY(CheckFrameSize(framing_, frame.size()));
    if (user_->closed) return Status(Code::kUnavailable, "the channel is closed");
    if (link_->queued + frame.size() + kFrameOverhead > link_->most_queued()) {
      return Status::Of(Code::kLimitExceeded, "{} bytes wait to be sent", link_->queued.load());
    }
    Bytes framed = Framed(framing_, frame);
    link_->queued += framed.size() + kFrameOverhead;
    link_->Send(std::move(framed));
    return OkStatus();
  }

  void Close() override {
    if (user_->closed) return;
    user_->closed = true;
    // Before the link hears of it: it may end, and say why, at once.
    home_->Post([user = user_] { user->Close(Status(Code::kCancelled, "closed here")); });
    link_->Close();
  }

  void Admit() override { link_->Admit(); }

  std::string peer() const override { return peer_; }

 private:
  std::shared_ptr<Link> link_;
  std::shared_ptr<Home> home_;
  std::string peer_;
  Framing framing_;
  std::shared_ptr<User> user_ = std::make_shared<User>();
};

}  // namespace

std::unique_ptr<sys::FrameChannel> MakeChannel(std::shared_ptr<Stream> stream,
                                               std::shared_ptr<Home> home, std::string peer,
                                               ChannelOptions options) {
  const Framing framing = options.framing;
  auto link = std::make_shared<Link>(std::move(stream), std::move(options));
  return std::make_unique<Channel>(std::move(link), std::move(home), std::move(peer), framing);
}

}  // namespace ferry::net

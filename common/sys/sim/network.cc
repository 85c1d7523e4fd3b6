#include "common/sys/sim/network.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/buffers.h"
#include "common/sys/web/web_url.h"

namespace ferry::sys {
namespace {

constexpr size_t kPieceBytes = 16 << 10;
constexpr int64_t kDialTimeoutMs = 10'000;

// One end of a channel. The other end is found through `peer`; the user's object through nothing:
// it owns a reference to its end.
struct End {
  Executor* executor;
  std::string own_host, peer_host;
  std::weak_ptr<End> peer;
  bool open = true;
  int64_t last_arrival_ns = 0;  // frames keep their order, whatever the delays
  size_t queued = 0;            // bytes sent and not yet arrived
  std::optional<ChannelEvents> events;
  std::deque<Bytes> waiting;  // came before Start
  Status close_reason;
};

using EndPtr = std::shared_ptr<End>;

// Hands over what waits: frames first, then the end. On the executor of `end`.
void Flush(const EndPtr& end) {
  while (!end->waiting.empty() && end->events.has_value()) {
    const Bytes frame = std::move(end->waiting.front());
    end->waiting.pop_front();
    const auto on_frame = end->events->on_frame;  // stays alive if the callback drops the channel
    if (on_frame) on_frame(frame);
  }
  if (end->open || !end->events.has_value()) return;
  const ChannelEvents events = std::move(*end->events);
  end->events.reset();
  if (events.on_close) events.on_close(end->close_reason);
}

// Tells the user of `end` that it is closed, once, on its executor.
void CloseEnd(const EndPtr& end, Status why) {
  if (!end->open) return;
  end->open = false;
  end->close_reason = std::move(why);
  end->executor->Post([end] { Flush(end); });
}

}  // namespace

struct SimNetwork::State {
  explicit State(SimWorld& w) : world(w), executor(w.MakeExecutor()) {}

  struct Listener {
    Executor* executor;
    OnChannel on_channel;
    ContentSource* content;
  };

  SimWorld& world;
  std::unique_ptr<Executor> executor;  // carries what is on its way
  SimLine line;
  std::map<std::pair<std::string, uint16_t>, Listener> listeners;
  std::set<std::string> unreachable;
  std::vector<std::weak_ptr<End>> ends;
  uint64_t frames = 0;

  int64_t Delay() {
    return line.min_delay_ms +
           static_cast<int64_t>(world.random().Below(
               static_cast<uint64_t>(line.max_delay_ms - line.min_delay_ms) + 1));
  }
  bool Reaches(const std::string& a, const std::string& b) const {
    return !unreachable.contains(a) && !unreachable.contains(b);
  }
  bool Chance(double p) { return p > 0 && world.random().NextDouble() < p; }
};

namespace {

using NetState = SimNetwork::State;

Status Broken() {
  return Status(Code::kUnavailable, "the line broke");
}

class SimChannel : public FrameChannel {
 public:
  SimChannel(std::shared_ptr<NetState> net, EndPtr end)
      : net_(std::move(net)), end_(std::move(end)) {}
  ~SimChannel() override {
    end_->events.reset();
    end_->open = false;
    ClosePeerLater();
  }

  void Start(ChannelEvents events) override {
    end_->events = std::move(events);
    end_->executor->Post([end = end_] { Flush(end); });
  }

  Status Send(ByteView frame) override {
    if (frame.size() > kMaxFrameBytes) {
      return Status::Of(Code::kLimitExceeded, "a frame of {} bytes, at most {}", frame.size(),
                        kMaxFrameBytes);
    }
    if (!end_->open) return Status(Code::kUnavailable, "the channel is closed");
    if (end_->queued + frame.size() > kMaxQueuedSendBytes) {
      return Status::Of(Code::kLimitExceeded, "{} bytes wait to be sent", end_->queued);
    }
    ++net_->frames;
    end_->queued += frame.size();
    if (net_->Chance(net_->line.cut_per_frame)) {
      CloseEnd(end_, Broken());
      ClosePeerLater();
      return OkStatus();
    }
    Schedule([end = end_, bytes = ToBytes(frame)]() mutable {
      end->queued -= bytes.size();
      const EndPtr peer = end->peer.lock();
      if (peer == nullptr || !peer->open) return;
      peer->waiting.push_back(std::move(bytes));  // before an end that comes right behind it
      peer->executor->Post([peer] { Flush(peer); });
    });
    return OkStatus();
  }

  void Close() override {
    CloseEnd(end_, Status(Code::kCancelled, "closed here"));
    ClosePeerLater();
  }

  std::string peer() const override { return end_->peer_host; }

 private:
  // After what was sent before.
  void Schedule(Task task) {
    if (net_->executor == nullptr) return;  // the network is gone
    const int64_t now = net_->world.clock().MonotonicNs();
    const int64_t arrival = std::max(end_->last_arrival_ns, now + net_->Delay() * 1'000'000);
    end_->last_arrival_ns = arrival;
    net_->executor->PostAfter((arrival - now + 999'999) / 1'000'000, std::move(task));
  }

  void ClosePeerLater() {
    Schedule([end = end_] {
      if (const EndPtr peer = end->peer.lock()) {
        CloseEnd(peer, Status(Code::kUnavailable, "the other side closed"));
      }
    });
  }

  std::shared_ptr<NetState> net_;
  EndPtr end_;
};

EndPtr MakeEnd(NetState& net, Executor& executor, std::string own, std::string peer) {
  auto end = std::make_shared<End>();
  end->executor = &executor;
  end->own_host = std::move(own);
  end->peer_host = std::move(peer);
  std::erase_if(net.ends, [](const std::weak_ptr<End>& e) { return e.expired(); });
  net.ends.push_back(end);
  return end;
}

}  // namespace

// A GET under way: one piece at a time.
struct SimFetch {
  std::shared_ptr<SimNetwork::State> net;
  Executor* executor;
  std::weak_ptr<bool> alive;  // of the dialer
  std::string own_host, server_host, path;
  Content content;
  uint64_t at = 0;
  Dialer::OnData on_data;
  Dialer::OnDone on_done;
  Dialer::OnMoved on_moved;
  bool may_redirect = false;

  static void Ask(const std::shared_ptr<SimFetch>& fetch, const Endpoint& to,
                  const std::string& authorization) {
    fetch->server_host = to.host;
    fetch->net->executor->PostAfter(fetch->net->Delay(), [fetch, to, authorization] {
      const auto found = fetch->net->listeners.find({to.host, to.port});
      if (found == fetch->net->listeners.end() || !fetch->net->Reaches(fetch->own_host, to.host))
        return Done(fetch,
                    Status::Of(Code::kUnavailable, "{}:{} cannot be reached", to.host, to.port));
      if (found->second.content == nullptr)
        return Done(fetch, Status(Code::kNotFound, "no content is served"));
      Open(fetch, *found->second.content, authorization);
    });
  }

  static void Open(const std::shared_ptr<SimFetch>& fetch, ContentSource& source,
                   const std::string& authorization) {
    if (std::exchange(fetch->may_redirect, false)) {
      const Result<std::string> elsewhere = source.Elsewhere(fetch->path, authorization);
      if (!elsewhere.ok()) return Done(fetch, elsewhere.status().Context("GET {}", fetch->path));
      if (!elsewhere->empty()) return GoTo(fetch, *elsewhere);
    }
    Result<Content> content = source.Open(fetch->path, authorization);
    if (!content.ok()) return Done(fetch, content.status().Context("GET {}", fetch->path));
    fetch->content = std::move(*content);
    if (fetch->at > fetch->content.size)
      return Done(fetch, Status::Of(Code::kOutOfRange, "GET {}: byte {} of {}", fetch->path,
                                    fetch->at, fetch->content.size));
    Next(fetch);
  }

  static void GoTo(const std::shared_ptr<SimFetch>& fetch, const std::string& elsewhere) {
    const Result<WebUrl> url = ParseWebUrl(elsewhere);
    if (!url.ok()) return Done(fetch, url.status());
    fetch->path = url->target.substr(0, url->target.find('?'));
    if (fetch->on_moved && !fetch->alive.expired())
      fetch->executor->Post([fetch, place = PlaceOf(url->at)] {
        if (!fetch->alive.expired()) fetch->on_moved(place);
      });
    Ask(fetch, url->at, "");
  }

  static void Done(const std::shared_ptr<SimFetch>& fetch, Status status) {
    if (fetch->alive.expired()) return;
    fetch->executor->Post([fetch, status] {
      if (!fetch->alive.expired()) fetch->on_done(status);
    });
  }

  static void Next(const std::shared_ptr<SimFetch>& fetch) {
    fetch->net->executor->PostAfter(fetch->net->Delay(), [fetch] { Piece(fetch); });
  }

  static void Piece(const std::shared_ptr<SimFetch>& fetch) {
    SimNetwork::State& net = *fetch->net;
    if (fetch->alive.expired()) return;
    if (fetch->at == fetch->content.size) return Done(fetch, OkStatus());
    if (!net.Reaches(fetch->own_host, fetch->server_host) || net.Chance(net.line.cut_per_piece)) {
      return Done(fetch, Status::Of(Code::kTruncatedContent, "GET {}: the line broke at byte {}",
                                    fetch->path, fetch->at));
    }
    Bytes piece(std::min<uint64_t>(BufferBytes(kPieceBytes), fetch->content.size - fetch->at));
    const Result<size_t> got = fetch->content.file->ReadAt(fetch->at, piece);
    if (!got.ok() || *got == 0) {
      return Done(fetch, Status::Of(Code::kTruncatedContent, "GET {}: the server failed at byte {}",
                                    fetch->path, fetch->at));
    }
    piece.resize(*got);
    fetch->executor->Post([fetch, piece = std::move(piece)] {
      if (fetch->alive.expired()) return;
      const Status taken = fetch->on_data(fetch->at, piece);
      if (!taken.ok()) {
        if (!fetch->alive.expired()) fetch->on_done(taken);
        return;
      }
      fetch->at += piece.size();
      Next(fetch);
    });
  }
};

namespace {

class SimDialer : public Dialer {
 public:
  SimDialer(std::shared_ptr<NetState> net, std::string host, Executor& executor)
      : net_(std::move(net)), host_(std::move(host)), executor_(executor) {}

  void Dial(const Endpoint& to, OnDial done) override {
    std::weak_ptr<bool> alive = alive_;
    auto answer = [alive, executor = &executor_,
                   done](Result<std::unique_ptr<FrameChannel>> result) {
      if (alive.expired()) return;
      auto shared = std::make_shared<Result<std::unique_ptr<FrameChannel>>>(std::move(result));
      executor->Post([alive, done, shared] {
        if (!alive.expired()) done(std::move(*shared));
      });
    };
    const bool reaches = net_->Reaches(host_, to.host);
    // Nothing comes back from an unreachable host: the dialer finds out by its own time-out.
    const int64_t delay = reaches ? net_->Delay() : kDialTimeoutMs;
    net_->executor->PostAfter(delay, [net = net_, alive, to, host = host_, answer,
                                      executor = &executor_] {
      if (alive.expired()) return;
      const auto found = net->listeners.find({to.host, to.port});
      if (found == net->listeners.end() || !net->Reaches(host, to.host)) {
        return answer(Status::Of(Code::kUnavailable, "{}:{} cannot be reached", to.host, to.port));
      }
      const NetState::Listener listener = found->second;
      EndPtr client = MakeEnd(*net, *executor, host, to.host);
      EndPtr server = MakeEnd(*net, *listener.executor, to.host, host);
      client->peer = server;
      server->peer = client;
      auto theirs = std::make_shared<std::unique_ptr<FrameChannel>>(new SimChannel(net, server));
      listener.executor->Post([listener, theirs] { listener.on_channel(std::move(*theirs)); });
      answer(std::unique_ptr<FrameChannel>(new SimChannel(net, client)));
    });
  }

  void Fetch(const Endpoint& to, const std::string& path, uint64_t offset,
             const std::string& authorization, OnData data, OnDone done, OnMoved moved) override {
    auto fetch = std::make_shared<SimFetch>();
    fetch->net = net_;
    fetch->executor = &executor_;
    fetch->alive = alive_;
    fetch->own_host = host_;
    fetch->path = path.substr(0, path.find('?'));
    fetch->may_redirect = path.ends_with(kMayRedirectQuery);
    fetch->at = offset;
    fetch->on_data = std::move(data);
    fetch->on_done = std::move(done);
    fetch->on_moved = std::move(moved);
    SimFetch::Ask(fetch, to, authorization);
  }

 private:
  std::shared_ptr<NetState> net_;
  std::string host_;
  Executor& executor_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

SimNetwork::SimNetwork(SimWorld& world) : state_(std::make_shared<State>(world)) {}

SimNetwork::~SimNetwork() {
  state_->executor.reset();  // drops what is on its way, and with it the references to the state
}

void SimNetwork::Listen(const Endpoint& at, Executor& executor, OnChannel on_channel,
                        ContentSource* content) {
  state_->listeners[{at.host, at.port}] = {&executor, std::move(on_channel), content};
}

void SimNetwork::StopListening(const Endpoint& at) {
  state_->listeners.erase({at.host, at.port});
}

std::unique_ptr<Dialer> SimNetwork::MakeDialer(const std::string& host, Executor& executor) {
  return std::make_unique<SimDialer>(state_, host, executor);
}

void SimNetwork::SetLine(const SimLine& line) {
  state_->line = line;
}

void SimNetwork::SetReachable(const std::string& host, bool reachable) {
  if (reachable) {
    state_->unreachable.erase(host);
  } else {
    state_->unreachable.insert(host);
    CutChannels(host);
  }
}

void SimNetwork::CutChannels(const std::string& host) {
  const std::vector<std::weak_ptr<End>> ends = state_->ends;
  for (const std::weak_ptr<End>& weak : ends) {
    const EndPtr end = weak.lock();
    if (end != nullptr && (end->own_host == host || end->peer_host == host)) {
      CloseEnd(end, Broken());
    }
  }
}

uint64_t SimNetwork::frames_sent() const {
  return state_->frames;
}

}  // namespace ferry::sys

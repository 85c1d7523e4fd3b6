#include "common/net/server.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "common/base/log.h"
#include "common/net/client.h"
#include "common/net/frame/channel.h"
#include "common/net/http/http_session.h"
#include "common/net/io/io_impl.h"
#include "common/net/server/pace.h"
#include "common/net/server/seats.h"
#include "common/net/tls/tls.h"

namespace ferry::net {
namespace {

constexpr int64_t kAcceptPauseMs = 100;  // after an error such as too many open files

// Shared by the server and its connections; the server waits for all of them when it dies.
struct Shared {
  std::vector<sys::Executor*> executors;
  ServerLimits limits;
  sys::ContentSource* content;
  OnChannel on_channel;
  SplitDoor split;
  std::atomic<size_t> next_executor{0};

  std::shared_ptr<Seats> seats;
  std::atomic<int64_t> handshakes{0};
  std::atomic<int64_t> held_back_ms{0};

  std::mutex context_mutex;
  Context context;

  Context Certificates() {
    std::lock_guard lock(context_mutex);
    return context;
  }

  std::mutex mutex;
  std::condition_variable idle;
  bool stopping = false;  // no channel reaches an executor any more
  int serving = 0;        // connections that are not, or not yet, channels: they may use `content`

  void Served() {
    std::lock_guard lock(mutex);
    if (--serving == 0) idle.notify_all();
  }
};

// Counts a connection until it has become a channel or is gone.
struct Serving {
  explicit Serving(std::shared_ptr<Shared> s) : shared(std::move(s)) {
    std::lock_guard lock(shared->mutex);
    ++shared->serving;
  }
  Serving(const Serving&) = delete;
  ~Serving() { shared->Served(); }
  const std::shared_ptr<Shared> shared;
};

void HandOver(const std::shared_ptr<Shared>& shared, std::shared_ptr<Stream> stream,
              std::shared_ptr<Seat> seat, std::string peer, Framing framing) {
  std::lock_guard lock(shared->mutex);
  if (shared->stopping) return;
  const bool split = framing == Framing::kCompact;
  sys::Executor* executor =
      split ? shared->split.executor
            : shared->executors[shared->next_executor++ % shared->executors.size()];
  auto home = std::make_shared<Home>(*executor);
  ChannelOptions options;
  options.idle_timeout_ms = shared->limits.idle_timeout_ms;
  options.framing = framing;
  options.seat = std::move(seat);
  options.max_stranger_frame = shared->limits.max_stranger_frame_bytes;
  auto channel = std::make_shared<std::unique_ptr<sys::FrameChannel>>(
      MakeChannel(std::move(stream), std::move(home), std::move(peer), std::move(options)));
  executor->Post([on_channel = split ? shared->split.on_channel : shared->on_channel, channel,
                  executor] { on_channel(std::move(*channel), *executor); });
}

asio::awaitable<void> Serve(std::shared_ptr<Shared> shared, std::shared_ptr<Stream> stream,
                            std::shared_ptr<Seat> seat,
                            [[maybe_unused]] std::shared_ptr<Serving> serving, std::string peer) {
  auto watchdog = std::make_shared<Watchdog>(stream);
  watchdog->Set(Watchdog::kRead, shared->limits.handshake_timeout_ms);
  auto [error] = co_await stream->async_handshake(Stream::Side::kServer, kUse);
  if (error) {
    Log(LogLevel::kDebug, "net", "{}: handshake: {}", peer, error.message());
    watchdog->Stop();
    CloseSocket(*stream);
    co_return;
  }
  watchdog->Clear(Watchdog::kRead);
  const std::string protocol = AgreedProtocol(*stream);
  if (protocol == kFrameProtocol || protocol == kSplitFrameProtocol) {
    watchdog->Stop();
    HandOver(shared, std::move(stream), std::move(seat), std::move(peer), FramingOf(protocol));
    co_return;  // `serving` ends with this coroutine
  }
  co_await ServeHttp(stream, watchdog, seat, shared->content, shared->limits);
  watchdog->Stop();
  CloseSocket(*stream);
}

// Says in TLS that the connection is not wanted, so that the other side can tell it from a fault.
void Refuse(Stream& stream) {
  static constexpr uint8_t kAccessDenied[] = {21, 3, 3, 0, 2, 2, 49};  // RFC 8446, 5.1 and 6
  ErrorCode ignored;
  stream.next_layer().non_blocking(true, ignored);
  stream.next_layer().send(asio::buffer(kAccessDenied), 0, ignored);
  CloseSocket(stream);
}

// Begins to serve a new connection; one that there is no room or memory for is closed. Whether a
// handshake began.
bool Take(const std::shared_ptr<Shared>& shared, tcp::socket socket) {
  try {
    ErrorCode error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error) return false;  // it is gone already
    socket.set_option(tcp::no_delay(true), error);
    auto stream =
        std::make_shared<Stream>(std::move(socket), shared->Certificates()->native_handle());
    auto seat = shared->seats->Take(stream, AddressKey(from.address()));
    if (seat == nullptr) {
      Refuse(*stream);
      return false;
    }
    auto serving = std::make_shared<Serving>(shared);
    const auto strand = stream->get_executor();
    std::string peer = fmt::format("{}:{}", from.address().to_string(), from.port());
    Spawn(strand,
          Serve(shared, std::move(stream), std::move(seat), std::move(serving), std::move(peer)),
          "serving");
    ++shared->handshakes;
    return true;
  } catch (const std::exception& e) {
    LogWarn("net", "accept: {}", e.what());
    return false;
  }
}

asio::awaitable<void> AcceptLoop(std::shared_ptr<Shared> shared,
                                 std::shared_ptr<tcp::acceptor> acceptor,
                                 asio::io_context* context) {
  asio::steady_timer pause(acceptor->get_executor());
  Pace pace(shared->limits.handshakes_per_second);
  while (acceptor->is_open()) {
    auto [error, socket] = co_await acceptor->async_accept(asio::make_strand(*context), kUse);
    if (error == asio::error::operation_aborted || !acceptor->is_open()) break;
    if (error) {
      LogWarn("net", "accept: {}", error.message());
      pause.expires_after(std::chrono::milliseconds(kAcceptPauseMs));
      co_await pause.async_wait(kUse);
      continue;
    }
    if (!Take(shared, std::move(socket))) continue;
    const int64_t now_ns = std::chrono::steady_clock::now().time_since_epoch().count();
    const int64_t wait_ms = pace.WaitAfterMs(now_ns);
    if (wait_ms == 0) continue;
    shared->held_back_ms += wait_ms;
    pause.expires_after(std::chrono::milliseconds(wait_ms));
    co_await pause.async_wait(kUse);
  }
}

class Server : public TlsServer {
 public:
  Server(std::shared_ptr<Shared> shared, std::shared_ptr<tcp::acceptor> acceptor, uint16_t port)
      : shared_(std::move(shared)), acceptor_(std::move(acceptor)), port_(port) {}

  ~Server() override {
    StopAccepting();
    shared_->seats->Close();
    std::unique_lock lock(shared_->mutex);
    shared_->stopping = true;
    // Channels are their users' business; what may call `content` is not.
    shared_->idle.wait(lock, [this] { return shared_->serving == 0; });
  }

  uint16_t port() const override { return port_; }
  int connections() const override { return static_cast<int>(shared_->seats->count()); }

  Handshakes handshakes() const override { return {shared_->handshakes, shared_->held_back_ms}; }

  void StopAccepting() override {
    asio::post(acceptor_->get_executor(), [acceptor = acceptor_] {
      ErrorCode ignored;
      acceptor->close(ignored);
    });
  }

  Status UseCertificates(const ServerOptions& options) override {
    ServerOptions all = options;
    all.split = shared_->split;  // the protocols that are offered
    FERRY_ASSIGN_OR_RETURN(Context context, MakeServerContext(all));
    std::lock_guard lock(shared_->context_mutex);
    shared_->context = std::move(context);
    return OkStatus();
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<tcp::acceptor> acceptor_;
  uint16_t port_;
};

Result<std::shared_ptr<tcp::acceptor>> Listen(asio::io_context& context, const sys::Endpoint& at) {
  const std::string where = fmt::format("listen on {}:{}", at.host, at.port);
  ErrorCode error;
  const auto address = asio::ip::make_address(at.host, error);
  if (error) {
    return Status::Of(Code::kInvalidArgument, "{}: not an address: {}", where, error.message());
  }
  const tcp::endpoint endpoint(address, at.port);
  auto acceptor = std::make_shared<tcp::acceptor>(asio::make_strand(context));
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) return Status::Of(Code::kUnavailable, "{}: {}", where, error.message());
  return acceptor;
}

}  // namespace

Result<std::unique_ptr<TlsServer>> TlsServer::Start(IoThreads& io,
                                                    std::vector<sys::Executor*> executors,
                                                    const ServerOptions& options,
                                                    sys::ContentSource* content,
                                                    OnChannel on_channel) {
  if (executors.empty()) return Status(Code::kInvalidArgument, "TLS server: no executor");
  auto shared = std::make_shared<Shared>();
  shared->executors = std::move(executors);
  shared->limits = options.limits;
  shared->seats = std::make_shared<Seats>(options.limits);
  shared->content = content;
  shared->on_channel = std::move(on_channel);
  shared->split = options.split;
  FERRY_ASSIGN_OR_RETURN(shared->context, MakeServerContext(options));
  FERRY_ASSIGN_OR_RETURN(auto acceptor, Listen(io.impl().context, options.listen));
  ErrorCode error;
  const uint16_t port = acceptor->local_endpoint(error).port();
  Spawn(acceptor->get_executor(), AcceptLoop(shared, acceptor, &io.impl().context), "accepting");
  return std::unique_ptr<TlsServer>(
      std::make_unique<Server>(std::move(shared), std::move(acceptor), port));
}

}  // namespace ferry::net

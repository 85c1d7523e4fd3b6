#include "common/net/client.h"

#include "common/net/frame/channel.h"
#include "common/net/http/fetch.h"
#include "common/net/io/io_impl.h"
#include "common/sys/web/web_url.h"

namespace ferry::net {
namespace {

asio::awaitable<void> RunDial(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
                              sys::Executor* executor, sys::Endpoint to, ClientOptions options,
                              sys::Dialer::OnDial done) {
  const Status status = co_await Connect(line, to, options.protocol, options);
  line->watchdog->Stop();
  if (!status.ok()) {
    CloseSocket(*line->stream);
    home->PostUnlessLeft([done, status] { done(status); });
    co_return;
  }
  // The channel is made where it will live; if nobody waits any more, the socket just closes.
  home->PostUnlessLeft([line, executor, done, to, idle = options.idle_timeout_ms,
                        framing = FramingOf(options.protocol)] {
    done(MakeChannel(line->stream, std::make_shared<Home>(*executor),
                     fmt::format("{}:{}", to.host, to.port),
                     // The context must outlive the stream.
                     {.idle_timeout_ms = idle, .framing = framing, .keep = line}));
  });
}

class TlsDialer : public sys::Dialer {
 public:
  TlsDialer(IoThreads& io, sys::Executor& executor, ClientOptions options, Context context)
      : io_(io),
        executor_(executor),
        options_(std::move(options)),
        context_(std::move(context)),
        home_(std::make_shared<Home>(executor)) {}

  ~TlsDialer() override { home_->Leave(); }

  // Sessions of the context before are forgotten with it: their servers may be believed no longer.
  Status Believe(const std::vector<std::string>& authorities) override {
    FERRY_ASSIGN_OR_RETURN(context_, MakeClientContext(authorities));
    return OkStatus();
  }

  void Dial(const sys::Endpoint& where, OnDial done) override {
    sys::Endpoint to = where;
    to.kind = sys::Endpoint::Kind::kServer;
    auto line = NewLine(to.kind);
    Spawn(line->stream->get_executor(),
          RunDial(line, home_, &executor_, to, options_, std::move(done)), "dialling");
  }

  void Fetch(const sys::Endpoint& to, const std::string& path, uint64_t offset,
             const std::string& authorization, OnData data, OnDone done, OnMoved moved) override {
    auto request = std::make_shared<FetchRequest>(FetchRequest{
        to, path, offset, authorization, std::move(data), path.ends_with(sys::kMayRedirectQuery)});
    // Header injection: a path or token with a line break would write headers of its own.
    if ((path + authorization).find_first_of("\r\n") != std::string::npos ||
        path.find(' ') != std::string::npos) {
      home_->PostUnlessLeft([done] {
        done(Status(Code::kInvalidArgument, "GET: a path or token with blanks or line breaks"));
      });
      return;
    }
    if (to.kind != sys::Endpoint::Kind::kServer && !authorization.empty()) {
      home_->PostUnlessLeft(
          [done] { done(Status(Code::kInvalidArgument, "GET: a token goes to a server alone")); });
      return;
    }
    Begin(std::move(request), std::move(done), std::move(moved));
  }

 private:
  // On the executor.
  void Begin(std::shared_ptr<FetchRequest> request, OnDone done, OnMoved moved) {
    auto line = NewLine(request->to.kind);
    auto ended = [this, request, done = std::move(done),
                  moved = std::move(moved)](const Status& status) {
      if (!status.ok() || request->elsewhere.empty()) return done(status);
      const Result<sys::WebUrl> url = sys::ParseWebUrl(request->elsewhere);
      if (!url.ok()) return done(url.status().Context("GET {}: sent on", request->path));
      if (moved) moved(sys::PlaceOf(url->at));
      Begin(std::make_shared<FetchRequest>(
                FetchRequest{url->at, url->target, request->offset, "", request->on_data}),
            done, {});
    };
    Spawn(line->stream->get_executor(), RunFetch(line, home_, request, options_, std::move(ended)),
          "fetching");
  }

  static asio::awaitable<void> RunFetch(std::shared_ptr<Line> line, std::shared_ptr<Home> home,
                                        std::shared_ptr<FetchRequest> request,
                                        ClientOptions options, OnDone ended) {
    const Status status = co_await net::Fetch(line, home, request, options);
    home->PostUnlessLeft([ended, status] { ended(status); });
  }

  // Null for what goes without TLS, and where memory lacks for a context: the handshake fails then.
  Context ContextFor(sys::Endpoint::Kind kind) {
    if (kind == sys::Endpoint::Kind::kServer) return context_;
    if (kind == sys::Endpoint::Kind::kPlainWeb) return nullptr;
    if (web_context_ == nullptr) {
      Result<Context> made = MakeWebContext();
      if (made.ok()) web_context_ = *std::move(made);
    }
    return web_context_;
  }

  std::shared_ptr<Line> NewLine(sys::Endpoint::Kind kind) {
    auto line = std::make_shared<Line>();
    line->context = ContextFor(kind);
    line->stream = std::make_shared<Stream>(
        tcp::socket(asio::make_strand(io_.impl().context)),
        line->context != nullptr ? line->context->native_handle() : nullptr);
    line->watchdog = std::make_shared<Watchdog>(line->stream);
    return line;
  }

  IoThreads& io_;
  sys::Executor& executor_;
  ClientOptions options_;
  Context context_;
  Context web_context_;  // null until the first that is needed
  std::shared_ptr<Home> home_;
};

}  // namespace

Result<std::unique_ptr<sys::Dialer>> MakeTlsDialer(IoThreads& io, sys::Executor& executor,
                                                   const ClientOptions& options) {
  std::vector<std::string> authorities{options.authority};
  authorities.insert(authorities.end(), options.also.begin(), options.also.end());
  FERRY_ASSIGN_OR_RETURN(Context context, MakeClientContext(authorities));
  return std::unique_ptr<sys::Dialer>(
      std::make_unique<TlsDialer>(io, executor, options, std::move(context)));
}

}  // namespace ferry::net

// Wake-ups between nodes over NATS. Each node hears all of them and hands on those of its own
// devices; a message is "<epoch> <device>". Nothing is kept anywhere: what is lost while the line
// is down is found by the next poll.
#include <nats/nats.h>

#include <charconv>
#include <condition_variable>
#include <mutex>
#include <string_view>

#include "cloud-server/bus/bus.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr int64_t kConnectMs = 5'000;
constexpr int64_t kReconnectMs = 500;       // between two tries
constexpr int kKeptBytes = 1 << 20;         // published while the line is down; more are dropped
constexpr size_t kMaxDeviceIdBytes = 200;   // of what comes in
constexpr std::string_view kLook = "look";  // a message of its own
constexpr const char* kSubject = "ferry.wake.";

struct NatsDeleter {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
  void operator()(natsConnection* connection) const { natsConnection_Destroy(connection); }
  void operator()(natsSubscription* subscription) const { natsSubscription_Destroy(subscription); }
};
template <typename T>
using Owned = std::unique_ptr<T, NatsDeleter>;

Status FromNats(natsStatus status, std::string_view what) {
  if (status == NATS_OK) return OkStatus();
  const bool refused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED;
  const bool no_address = status == NATS_INVALID_ARG || status == NATS_PROTOCOL_ERROR;
  return Status::Of(refused      ? Code::kPermissionDenied
                    : no_address ? Code::kInvalidArgument
                                 : Code::kUnavailable,
                    "{}: {}", what, natsStatus_GetText(status));
}

// Without what stands before "@": it may hold a password.
std::string ShownUrl(const std::string& url) {
  const size_t begin = url.find("://"), at = url.find('@');
  if (begin == std::string::npos || at == std::string::npos) return url;
  return url.substr(0, begin + 3) + url.substr(at + 1);
}

class NatsBus : public Bus {
 public:
  explicit NatsBus(std::string url) : url_(std::move(url)), local_(MakeInprocBus()) {}

  // Threads of the library call back until they say that they are done.
  ~NatsBus() override {
    if (connection_ != nullptr) {
      natsConnection_Close(connection_.get());
      std::unique_lock lock(end_mutex_);
      ended_.wait(lock, [&] { return closed_ && (completed_ || subscription_ == nullptr); });
    }
    subscription_.reset();
    connection_.reset();
  }

  Status Connect(const std::string& cluster) {
    if (!url_.starts_with("nats://") && !url_.starts_with("tls://"))
      return Status(Code::kInvalidArgument, "the bus's address is none: nats://HOST:PORT");
    natsOptions* made = nullptr;
    FERRY_TRY(FromNats(natsOptions_Create(&made), "NATS"));
    const Owned<natsOptions> options(made);
    FERRY_TRY(FromNats(natsOptions_SetURL(made, url_.c_str()), ShownUrl(url_)));
    natsOptions_SetTimeout(made, kConnectMs);
    natsOptions_SetNoEcho(made, true);  // one's own devices are woken without the line
    natsOptions_SetMaxReconnect(made, -1);
    natsOptions_SetReconnectWait(made, kReconnectMs);
    natsOptions_SetReconnectBufSize(made, kKeptBytes);
    natsOptions_SetDisconnectedCB(made, OnLost, this);
    natsOptions_SetReconnectedCB(made, OnBack, this);
    natsOptions_SetClosedCB(made, OnClosed, this);
    natsConnection* connection = nullptr;
    FERRY_TRY(FromNats(natsConnection_Connect(&connection, made), ShownUrl(url_)));
    connection_.reset(connection);
    subject_ = kSubject + cluster;
    natsSubscription* subscription = nullptr;
    FERRY_TRY(FromNats(
        natsConnection_Subscribe(&subscription, connection, subject_.c_str(), OnMessage, this),
        ShownUrl(url_)));
    FERRY_TRY(
        FromNats(natsSubscription_SetOnCompleteCB(subscription, OnComplete, this), ShownUrl(url_)));
    subscription_.reset(subscription);
    return FromNats(natsConnection_FlushTimeout(connection, kConnectMs), ShownUrl(url_));
  }

  void Publish(const std::string& device_id, uint64_t epoch) override {
    local_->Publish(device_id, epoch);
    const std::string text = std::to_string(epoch) + " " + device_id;
    // A line that is down, or full, costs the others' devices time alone.
    natsConnection_Publish(connection_.get(), subject_.c_str(), text.data(),
                           static_cast<int>(text.size()));
  }

  std::unique_ptr<BusSubscription> Subscribe(const std::string& device_id,
                                             OnWake handler) override {
    return local_->Subscribe(device_id, std::move(handler));
  }

  std::set<std::string> Listening() const override { return local_->Listening(); }

  bool IsListening(const std::string& device_id) const override {
    return local_->IsListening(device_id);
  }

  void PublishLook() override {
    natsConnection_Publish(connection_.get(), subject_.c_str(), kLook.data(),
                           static_cast<int>(kLook.size()));
  }

  void OnLook(std::function<void()> handler) override {
    std::lock_guard lock(look_mutex_);
    look_ = std::move(handler);
  }

  bool connected() const override {
    return natsConnection_Status(connection_.get()) == NATS_CONN_STATUS_CONNECTED;
  }

 private:
  static void OnMessage(natsConnection*, natsSubscription*, natsMsg* message, void* self) {
    const std::string_view text(natsMsg_GetData(message),
                                static_cast<size_t>(natsMsg_GetDataLength(message)));
    if (text == kLook) static_cast<NatsBus*>(self)->Look();
    uint64_t epoch = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
    const auto read = static_cast<size_t>(end - text.data());
    if (error == std::errc() && read + 1 < text.size() && text[read] == ' ' &&
        text.size() - read <= kMaxDeviceIdBytes)
      static_cast<NatsBus*>(self)->local_->Publish(std::string(text.substr(read + 1)), epoch);
    natsMsg_Destroy(message);
  }
  void Look() {
    std::lock_guard lock(look_mutex_);
    if (look_) look_();
  }
  static void OnLost(natsConnection*, void* self) {
    LogWarn("bus", "{} is away: devices of other nodes are found when they poll",
            ShownUrl(static_cast<NatsBus*>(self)->url_));
  }
  // What was published meanwhile is lost: whoever listens here is looked at.
  static void OnBack(natsConnection*, void* self) {
    auto& bus = *static_cast<NatsBus*>(self);
    LogInfo("bus", "{} is back", ShownUrl(bus.url_));
    bus.Look();
  }
  static void OnClosed(natsConnection*, void* self) {
    static_cast<NatsBus*>(self)->End(&NatsBus::closed_);
  }
  static void OnComplete(void* self) { static_cast<NatsBus*>(self)->End(&NatsBus::completed_); }
  void End(bool NatsBus::*part) {
    std::lock_guard lock(end_mutex_);
    this->*part = true;
    ended_.notify_all();
  }

  const std::string url_;
  const std::unique_ptr<Bus> local_;
  std::mutex look_mutex_;  // held while the handler runs
  std::function<void()> look_;
  std::string subject_;
  std::mutex end_mutex_;
  std::condition_variable ended_;
  bool closed_ = false, completed_ = false;
  Owned<natsConnection> connection_;
  Owned<natsSubscription> subscription_;
};

}  // namespace

Result<std::unique_ptr<Bus>> ConnectNatsBus(const std::string& url, const std::string& cluster) {
  auto bus = std::make_unique<NatsBus>(url);
  FERRY_TRY(bus->Connect(cluster));
  return std::unique_ptr<Bus>(std::move(bus));
}

}  // namespace ferry::server

#include "cloud-server/admin/live/hub.h"

#include <algorithm>
#include <chrono>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/live/changes.h"
#include "cloud-server/admin/resources/status.h"
#include "cloud-server/admin/resources/verify.h"
#include "cloud-server/admin/rights/users.h"
#include "cloud-server/admin/views.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr size_t kBootBytes = 6;
// What browsers wait before they come back; the first line of each stream.
constexpr const char* kRetry = "retry: 1000\n\n";

}  // namespace

LiveHub::LiveHub(const AdminOptions& admin)
    : admin_(admin), log_(admin.random ? RandomHex(admin, kBootBytes) : "0") {}

LiveHub::~LiveHub() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  joined_.notify_all();
  if (!thread_.joinable()) return;
  admin_.rollout->NoteChange();  // the thread may be waiting for one
  thread_.join();
}

HttpResponse LiveHub::Open(const HttpRequest& request, const Identity& who) {
  const std::string session = who.session.empty() ? who.name : who.session;
  auto reader = std::make_shared<Reader>();
  reader->seat = TakeSeat(session);
  if (reader->seat == nullptr)
    return ErrorResponse(Status::Of(Code::kUnavailable,
                                    "too many live streams: at most {} of a session, {} in all",
                                    kMaxSessionStreams, kMaxLiveStreams));
  reader->caller.authorization = request.authorization;
  reader->caller.headers = request.headers;
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers["Cache-Control"] = "no-store";
  response.headers["X-Accel-Buffering"] = "no";  // proxies shall not wait for more
  response.push = [this, reader,
                   last = request.Header("last-event-id")](std::shared_ptr<Push> push) {
    reader->push = std::move(push);
    Greet(reader, last);
  };
  return response;
}

size_t LiveHub::streams() const {
  const std::lock_guard lock(seats_mutex_);
  return seats_.size();
}

std::shared_ptr<void> LiveHub::TakeSeat(const std::string& session) {
  {
    // Who has gone is noticed by the next look at the latest.
    const std::lock_guard lock(mutex_);
    std::erase_if(readers_, [](const ReaderPtr& reader) { return !reader->push->open(); });
  }
  const std::lock_guard lock(seats_mutex_);
  if (seats_.size() >= kMaxLiveStreams || seats_.count(session) >= kMaxSessionStreams)
    return nullptr;
  const auto seat = seats_.insert(session);
  return {this, [this, seat](void*) {
            const std::lock_guard gone(seats_mutex_);
            seats_.erase(seat);
          }};
}

void LiveHub::Greet(ReaderPtr reader, const std::string& last_id) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return reader->push->Close();
  std::string fresh;
  const bool is_old = first_ || admin_.rollout->change_count() != looked_;
  const Status looked = is_old ? Look(&fresh) : OkStatus();
  if (!looked.ok()) {
    LogWarn("admin", "live: {}", looked.ToString());
    return reader->push->Close();
  }
  SendAll(fresh);
  reader->told_ns = admin_.clock->MonotonicNs();
  reader->push->Send(std::make_shared<const std::string>(kRetry + log_.Greeting(last_id)));
  readers_.push_back(std::move(reader));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  joined_.notify_all();
}

void LiveHub::Run() {
  for (;;) {
    uint64_t seen = 0;
    {
      std::unique_lock lock(mutex_);
      joined_.wait(lock, [&] { return stopping_ || !readers_.empty(); });
      if (stopping_) return;
      seen = looked_;
    }
    const uint64_t now = admin_.rollout->WaitForChange(seen, kLiveLookMs);
    LetGo();
    std::unique_lock lock(mutex_);
    if (stopping_) return;
    std::string fresh;
    const Status looked = now == looked_ ? OkStatus() : Look(&fresh);
    if (!looked.ok()) LogWarn("admin", "live: {}", looked.ToString());
    TellVerify(&fresh);
    SendAll(fresh);
    // Whatever changes during the pause comes with the next look.
    joined_.wait_for(lock, std::chrono::milliseconds(kLivePauseMs), [&] { return stopping_; });
  }
}

// Whoever has logged out, or whose session has ended, hears no more.
void LiveHub::LetGo() {
  std::vector<ReaderPtr> readers;
  {
    const std::lock_guard lock(mutex_);
    readers = readers_;
  }
  for (const ReaderPtr& reader : readers) {
    if (!reader->push->open()) continue;
    const auto who = IdentityOfCall(admin_, reader->caller, Use::kNotNoted);
    if (who.code() == Code::kUnauthenticated) reader->push->Close();
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(readers_, [](const ReaderPtr& reader) { return !reader->push->open(); });
}

Status LiveHub::Look(std::string* fresh) {
  const uint64_t changes = admin_.rollout->change_count();
  FERRY_ASSIGN_OR_RETURN(Json status, StatusToJson(admin_));
  status.erase("releases");  // each has events of its own
  log_.Tell("status", "status", std::move(status), false, fresh);
  FERRY_TRY(admin_.store->Read([&](Transaction& tx) { return LookAtReleases(tx, fresh); }));
  TellVerify(fresh);
  first_ = false;
  looked_ = changes;
  return OkStatus();
}

Status LiveHub::LookAtReleases(Transaction& tx, std::string* fresh) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
  for (const ReleaseRow& release : releases) {
    const bool is_final = IsFinal(release.state);
    if (is_final && (first_ || final_.contains(release.id))) {
      final_.insert(release.id);
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(Json json, ReleaseInFull(tx, release, false));
    TrimRelease(&json);
    log_.Tell("release", "release " + release.id, std::move(json), is_final, fresh);
    if (is_final) final_.insert(release.id);
  }
  return OkStatus();
}

void LiveHub::TellVerify(std::string* fresh) {
  if (admin_.verify_sessions) log_.Tell("verify", "verify", VerifyToJson(admin_), false, fresh);
}

void LiveHub::SendAll(const std::string& fresh) {
  const int64_t now_ns = admin_.clock->MonotonicNs();
  const auto text = std::make_shared<const std::string>(fresh);
  const auto alive = std::make_shared<const std::string>(":\n\n");
  for (const ReaderPtr& reader : readers_) {
    const bool silent = now_ns - reader->told_ns >= kLiveSilenceMs * 1'000'000;
    if (fresh.empty() && !silent) continue;
    reader->push->Send(fresh.empty() ? alive : text);
    reader->told_ns = now_ns;
  }
}

}  // namespace ferry::server

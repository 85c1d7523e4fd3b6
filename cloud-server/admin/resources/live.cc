// Server-sent events (WHATWG HTML, section 9.2): whatever changed, as a whole.
#include <atomic>
#include <map>

#include "cloud-server/admin/access.h"
#include "cloud-server/admin/resources/status.h"
#include "cloud-server/admin/resources/verify.h"
#include "cloud-server/admin/routes.h"
#include "cloud-server/admin/views.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

constexpr int64_t kWaitMs = 1'000;      // how soon a stream notices that it shall end
constexpr int64_t kLeastPauseMs = 200;  // between two looks, however much changes

std::string Event(const char* kind, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

// One listening tab: what it was told last.
class Stream {
 public:
  Stream(const AdminOptions& admin, std::string bearer)
      : admin_(admin), bearer_(std::move(bearer)) {}

  // Waits for news; false when there is an end.
  bool Next(std::string* piece) {
    const bool first = seen_ == 0;
    const uint64_t now = admin_.rollout->WaitForChange(seen_, kWaitMs);
    // Whoever has logged out, or whose token has expired, hears no more.
    if (!NameOfBearer(admin_, bearer_).ok()) return false;
    if (!first && now == seen_) {
      TellVerify(piece);
      // A comment finds out whether anyone still listens.
      if (piece->empty()) *piece = ":\n\n";
      return true;
    }
    seen_ = now;
    Status status = Collect(piece);
    if (!status.ok()) return false;
    if (piece->empty()) *piece = ": nothing new\n\n";
    // Whatever changes during the pause comes with the next look.
    if (!first) admin_.rollout->WaitForChange(UINT64_MAX, kLeastPauseMs);
    return true;
  }

 private:
  Status Collect(std::string* piece) {
    FERRY_ASSIGN_OR_RETURN(Json status, StatusToJson(admin_));
    Tell("status", "status", status, piece);
    return admin_.store->Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(std::vector<ReleaseRow> releases, tx.releases().All());
      for (const ReleaseRow& release : releases) {
        // A final release is told once.
        if (IsFinal(release.state) && final_.contains(release.id)) continue;
        FERRY_ASSIGN_OR_RETURN(Json json, ReleaseInFull(tx, release));
        Tell("release", release.id, json, piece);
        if (IsFinal(release.state)) final_[release.id] = true;
      }
      TellVerify(piece);
      return OkStatus();
    });
  }

  void TellVerify(std::string* piece) {
    if (admin_.verify_sessions) Tell("verify", "verify", VerifyToJson(admin_), piece);
  }

  void Tell(const char* kind, const std::string& key, const Json& json, std::string* piece) {
    std::string text = WriteJson(json);
    std::string& last = told_[key];
    if (last == text) return;
    *piece += Event(kind, text);
    last = std::move(text);
  }

  const AdminOptions& admin_;
  const std::string bearer_;
  uint64_t seen_ = 0;
  std::map<std::string, std::string> told_;
  std::map<std::string, bool> final_;
};

}  // namespace

void Add_live(Routes& routes) {
  auto open = std::make_shared<std::atomic<int>>(0);
  routes.AddRaw("GET", "/api/v1/live", [open](const Call& call) {
    if (open->fetch_add(1) >= kMaxLiveStreams) {
      open->fetch_sub(1);
      return ErrorResponse(
          Status::Of(Code::kUnavailable, "{} live streams are open already", kMaxLiveStreams));
    }
    // Counts down when the response goes.
    std::shared_ptr<void> counted(nullptr, [open](void*) { open->fetch_sub(1); });
    const std::string bearer =
        call.http.authorization.empty() ? "Bearer " + call.Query("token") : call.http.authorization;
    auto stream = std::make_shared<Stream>(call.admin, bearer);
    HttpResponse response;
    response.content_type = "text/event-stream";
    response.headers["Cache-Control"] = "no-store";
    response.stream = [stream, counted](std::string* piece) { return stream->Next(piece); };
    return response;
  });
}

}  // namespace ferry::server

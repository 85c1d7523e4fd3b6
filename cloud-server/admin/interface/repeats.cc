#include "cloud-server/admin/interface/repeats.h"

#include <algorithm>

#include "cloud-server/admin/interface/errors.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr int kUnprocessable = 422;
constexpr int kFirstServerError = 500;

// Their answers hold what is stored as a hash only.
bool HasSecret(const std::string& pattern) {
  static constexpr std::string_view kSecret[] = {"/api/v1/join-tokens", "/api/v1/users",
                                                 "/api/v1/users/{name}/tokens",
                                                 "/api/v1/users/{name}/totp"};
  return std::find(std::begin(kSecret), std::end(kSecret), pattern) != std::end(kSecret);
}

bool IsKey(const std::string& key) {
  return key.size() <= kMaxKeyBytes &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

HttpResponse Clash(const char* text) {
  return ErrorAt(Status(Code::kConflict, text), {}, Json());
}

}  // namespace

Repeats::Turn::Turn(Repeats& repeats, const Call& call, const Route& route)
    : repeats_(repeats), call_(call) {
  if (route.method != "POST" || route.open || route.raw || !route.right.changes) return;
  key_ = call.http.Header("idempotency-key");
  secret_ = HasSecret(route.pattern);
  if (!key_.empty())
    request_sha256_ = ToHex(crypto::Sha256(
        AsBytes(call.http.method + " " + call.http.path + "\n" + WriteJson(call.body))));
}

Repeats::Turn::~Turn() {
  if (!entered_) return;
  const std::lock_guard lock(repeats_.mutex_);
  repeats_.under_way_.erase({call_.who.account, key_});
}

std::optional<HttpResponse> Repeats::Turn::Before() {
  if (key_.empty()) return std::nullopt;
  if (!IsKey(key_))
    return ErrorResponse(Status::Of(Code::kInvalidArgument,
                                    "Idempotency-Key: up to {} visible characters", kMaxKeyBytes));
  {
    const std::lock_guard lock(repeats_.mutex_);
    entered_ = repeats_.under_way_.insert({call_.who.account, key_}).second;
  }
  if (!entered_) return Clash("a call with this Idempotency-Key is under way");
  std::optional<AnsweredRow> row;
  const Status read = call_.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, tx.repeats().Answered(call_.who.account, key_));
    return OkStatus();
  });
  if (!read.ok()) return ErrorResponse(read);
  if (!row || row->time_ms <= call_.admin.clock->NowUnixMs() - kAnswerLifeMs) return std::nullopt;
  if (row->request_sha256 != request_sha256_) {
    HttpResponse response = ErrorResponse(
        Status(Code::kInvalidArgument, "this Idempotency-Key was used for another call"));
    response.status = kUnprocessable;
    return response;
  }
  if (row->status == 0)
    return Clash("this call was carried out before, and its answer is not kept: look anew");
  HttpResponse response;
  response.status = static_cast<int>(row->status);
  response.body = row->body;
  response.headers["Idempotency-Replayed"] = "true";
  return response;
}

std::function<Status(Transaction&)> Repeats::Turn::Mark() const {
  if (key_.empty()) return nullptr;
  return [row = AnsweredRow{call_.who.account, key_, request_sha256_, 0, "",
                            call_.admin.clock->NowUnixMs()}](Transaction& tx) {
    return tx.repeats().PutAnswered(row);
  };
}

Status Repeats::Turn::After(const HttpResponse& response) {
  // Who asks again after a fault of the server, or when it was busy, wants it done.
  if (key_.empty() || response.status >= kFirstServerError) return OkStatus();
  const int64_t now_ms = call_.admin.clock->NowUnixMs();
  AnsweredRow row{call_.who.account, key_, request_sha256_, 0, "", now_ms};
  const bool failed = response.status != 200;
  if (failed || (!secret_ && response.body.size() <= kMaxKeptAnswer)) {
    row.status = response.status;
    row.body = response.body;
  }
  return call_.admin.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(tx.repeats().DropAnswered(now_ms - kAnswerLifeMs));
    return tx.repeats().PutAnswered(row);
  });
}

}  // namespace ferry::server

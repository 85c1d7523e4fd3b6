#include "cloud-server/main/keeper.h"

#include <chrono>
#include <cstdlib>

#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr auto kBreath = std::chrono::milliseconds(5);  // between transactions, for devices

Json CountsToJson(const RetentionCounts& counts) {
  return {{"records", counts.records}, {"reports", counts.reports}, {"refused", counts.refused},
          {"losses", counts.losses},   {"events", counts.events},   {"marks", counts.marks}};
}

Json ContentToJson(const ContentReview& review) {
  return {{"blobs", review.blobs},
          {"bytes", review.bytes},
          {"unused_blobs", review.unused_blobs},
          {"unused_bytes", review.unused_bytes}};
}

void Add(const RetentionCounts& more, RetentionCounts* sum) {
  sum->records += more.records;
  sum->reports += more.reports;
  sum->refused += more.refused;
  sum->losses += more.losses;
  sum->events += more.events;
  sum->marks += more.marks;
  sum->days += more.days;
}

}  // namespace

const char* ExpiryState(const Expiring& thing, int64_t now_ms) {
  const int64_t left_ms = thing.expires_ms - now_ms;
  if (left_ms <= 0) return "expired";
  if (thing.life_ms > 0) return left_ms < thing.life_ms / 4 ? "urgent" : "ok";
  if (left_ms <= kUrgentMs) return "urgent";
  return left_ms <= kSoonMs ? "soon" : "ok";
}

Keeper::Keeper(const Parts& parts) : parts_(parts) {}

Keeper::~Keeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  executor_.Close();
}

void Keeper::Start() {
  Schedule(0);
}

void Keeper::Schedule(int64_t delay_ms) {
  executor_.PostAfter(delay_ms, [this] {
    Pass();
    Schedule(kKeepEveryMs);
  });
}

bool Keeper::GoOn() {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, kBreath, [this] { return stopping_; });
}

bool Keeper::ClockSettled() {
  const int64_t steady_ns = parts_.clock->MonotonicNs();
  const int64_t base_ms = parts_.clock->NowUnixMs() - steady_ns / kNsPerMs;
  if (settled_from_ns_ < 0 || std::abs(base_ms - step_base_ms_) > kStepMs)
    settled_from_ns_ = steady_ns;
  step_base_ms_ = base_ms;
  return steady_ns - settled_from_ns_ >= kSettledMs * kNsPerMs;
}

void Keeper::Pass() {
  const std::lock_guard once(pass_);
  const bool settled = ClockSettled();
  const int64_t now_ns = parts_.clock->MonotonicNs();
  if (now_ns >= warn_at_ns_) WarnOfExpiry();
  const Status status = RunOnce(parts_.once, [&]() -> Status {
    FERRY_TRY(Keep(settled));
    FERRY_TRY(parts_.store->Shrink(kShrinkBytes));
    if (now_ns < review_at_ns_) return OkStatus();
    review_at_ns_ = now_ns + kReviewEveryMs * kNsPerMs;
    ContentReview review;
    return Review(!settled, &review);
  });
  if (!status.ok()) LogError("keeper", "{}", status.ToString());
}

Status Keeper::Keep(bool by_age) {
  Retention retention(*parts_.store, *parts_.clock, *parts_.limits, [this] { return GoOn(); });
  FERRY_ASSIGN_OR_RETURN(const RetentionCounts counts, retention.Run(by_age));
  if (counts.sum() > 0) {
    LogInfo("keeper", "let go: {}", WriteJson(CountsToJson(counts)));
  }
  if (by_age) FERRY_TRY(CutAudit());
  const std::lock_guard lock(mutex_);
  Add(counts, &dropped_);
  return OkStatus();
}

// The log is cut from its start only, and says so itself.
Status Keeper::CutAudit() {
  const int64_t days = parts_.limits->Get(Limit::kAuditDays);
  const int64_t now_ms = parts_.clock->NowUnixMs();
  for (int64_t gone = kDropRows; days != 0 && gone == kDropRows && GoOn();) {
    FERRY_TRY(parts_.store->Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(gone, tx.audit().Cut(now_ms - days * kWarnEveryMs, now_ms,
                                                  static_cast<size_t>(kDropRows)));
      return OkStatus();
    }));
  }
  return OkStatus();
}

Status Keeper::Review(bool dry_run, ContentReview* review) {
  const int64_t keep_ms = parts_.limits->Get(Limit::kUnusedDays) * kWarnEveryMs;
  FERRY_ASSIGN_OR_RETURN(*review, parts_.registry->ReviewContent(keep_ms, dry_run));
  if (!dry_run && review->dropped_blobs > 0) {
    LogInfo("keeper", "let go: {} files of content that no package names, {} bytes",
            review->dropped_blobs, review->dropped_bytes);
  }
  const std::lock_guard lock(mutex_);
  content_ = *review;
  reviewed_ = true;
  return OkStatus();
}

Result<Json> Keeper::Collect(bool dry_run) {
  const std::lock_guard once(pass_);
  RetentionCounts before, after;
  {
    const std::lock_guard lock(mutex_);
    before = dropped_;
  }
  if (!dry_run) FERRY_TRY(Keep(true));
  ContentReview review;
  FERRY_TRY(Review(dry_run, &review));
  Json json = {{"dry_run", dry_run}, {"content", ContentToJson(review)}};
  Json& content = json["content"];
  content["dropped_blobs"] = review.dropped_blobs;
  content["dropped_bytes"] = review.dropped_bytes;
  content["unused"] = Json::array();
  for (const ContentReview::Unused& each : review.unused)
    content["unused"].push_back({{"sha256", each.sha256},
                                 {"length", each.length},
                                 {"since_ms", each.since_ms},
                                 {"dropped", each.dropped}});
  {
    const std::lock_guard lock(mutex_);
    after = dropped_;
  }
  json["dropped"] = CountsToJson({after.records - before.records, after.reports - before.reports,
                                  after.refused - before.refused, after.losses - before.losses,
                                  after.events - before.events, after.marks - before.marks, 0});
  return json;
}

Result<std::vector<Expiring>> Keeper::Things() {
  std::vector<Expiring> things = parts_.certificates;
  FERRY_TRY(parts_.store->Read([&](Transaction& tx) -> Status {
    const std::pair<const char*, int64_t> roles[] = {{"root", 0},
                                                     {"targets", 0},
                                                     {"snapshot", kSnapshotLifeMs},
                                                     {"timestamp", kTimestampLifeMs}};
    for (const auto& [role, life_ms] : roles) {
      const Result<MetadataRow> row = tx.packages().Metadata(role, 0);
      if (row.ok())
        things.push_back({fmt::format("metadata {}", role), row->expires_ms, life_ms});
      else if (row.code() != Code::kNotFound)
        return row.status();
    }
    return OkStatus();
  }));
  return things;
}

void Keeper::WarnOfExpiry() {
  const int64_t now_ms = parts_.clock->NowUnixMs();
  const Result<std::vector<Expiring>> things = Things();
  if (!things.ok()) return LogError("keeper", "{}", things.status().ToString());
  warn_at_ns_ = parts_.clock->MonotonicNs() + kWarnEveryMs * kNsPerMs;
  for (const Expiring& thing : *things) {
    const std::string_view state = ExpiryState(thing, now_ms);
    const int64_t days = (thing.expires_ms - now_ms) / kWarnEveryMs;
    if (state == "expired")
      LogError("keeper", "{} has expired, {} days ago", thing.what, -days);
    else if (state != "ok")
      LogWarn("keeper", "{} expires in {} days", thing.what, days);
    if (state == "ok") continue;
    const std::string body = WriteJson(
        {{"what", thing.what}, {"state", std::string(state)}, {"expires_ms", thing.expires_ms}});
    const Status told = parts_.store->Write(
        [&](Transaction& tx) { return tx.webhooks().AddEvent(now_ms, "expiry.warning", body); });
    if (!told.ok()) LogWarn("keeper", "telling webhooks: {}", told.ToString());
  }
}

Json Keeper::View() {
  const int64_t now_ms = parts_.clock->NowUnixMs();
  Json view;
  {
    const std::lock_guard lock(mutex_);
    view = {{"content", reviewed_ ? ContentToJson(content_) : Json()},
            {"dropped", CountsToJson(dropped_)}};
  }
  view["expires"] = Json::array();
  const Result<std::vector<Expiring>> things = Things();
  if (!things.ok()) return view;
  for (const Expiring& thing : *things)
    view["expires"].push_back({{"what", thing.what},
                               {"expires_ms", thing.expires_ms},
                               {"state", ExpiryState(thing, now_ms)}});
  return view;
}

}  // namespace ferry::server

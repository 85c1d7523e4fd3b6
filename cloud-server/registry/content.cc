// Content that no package and no device's own file names.
#include <fmt/format.h>

#include "cloud-server/registry/registry.h"

namespace ferry::server {
namespace {

constexpr int kPrefixes = 256;

Result<bool> IsUsed(Transaction& tx, const std::string& sha256) {
  FERRY_ASSIGN_OR_RETURN(const bool published, tx.packages().HasContent(sha256));
  return published ? Result<bool>(true) : tx.personal().HasContent(sha256);
}

}  // namespace

// Publications look at their content under the same lock, so that none loses it in between.
Result<bool> Registry::DropContent(const std::string& sha256) {
  std::lock_guard lock(publish_mutex_);
  bool used = false;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(used, IsUsed(tx, sha256));
    // A publisher who asked for it since then will publish it.
    FERRY_ASSIGN_OR_RETURN(const int64_t since_ms, tx.retention().UnusedSince(sha256));
    used = used || since_ms == 0;
    return OkStatus();
  }));
  if (used) return false;
  FERRY_TRY(options_.blobs->Remove(sha256));
  FERRY_TRY(
      options_.store->Write([&](Transaction& tx) { return tx.retention().NoteUsed(sha256); }));
  return true;
}

Status Registry::NoteContentUsed(const std::string& sha256) {
  int64_t since_ms = 0;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(since_ms, tx.retention().UnusedSince(sha256));
    return OkStatus();
  }));
  if (since_ms == 0) return OkStatus();
  std::lock_guard lock(publish_mutex_);
  return options_.store->Write([&](Transaction& tx) { return tx.retention().NoteUsed(sha256); });
}

Result<ContentReview> Registry::ReviewContent(int64_t keep_ms, bool dry_run) {
  ContentReview review;
  const int64_t now_ms = options_.clock->NowUnixMs();
  for (int i = 0; i < kPrefixes; ++i) {
    FERRY_ASSIGN_OR_RETURN(const auto names, options_.blobs->List(fmt::format("{:02x}", i)));
    std::vector<ContentReview::Unused> unused;
    FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
      for (const std::string& name : names) {
        FERRY_ASSIGN_OR_RETURN(const bool used, IsUsed(tx, name));
        FERRY_ASSIGN_OR_RETURN(const uint64_t length, options_.blobs->Size(name));
        ++review.blobs;
        review.bytes += length;
        if (used) continue;
        FERRY_ASSIGN_OR_RETURN(const int64_t since_ms, tx.retention().UnusedSince(name));
        unused.push_back({name, length, since_ms, false});
      }
      return OkStatus();
    }));
    for (ContentReview::Unused& each : unused) {
      each.dropped = keep_ms > 0 && each.since_ms > 0 && now_ms - each.since_ms >= keep_ms;
      if (!dry_run && each.dropped) {
        FERRY_ASSIGN_OR_RETURN(each.dropped, DropContent(each.sha256));
      } else if (!dry_run && each.since_ms == 0) {
        FERRY_TRY(options_.store->Write(
            [&](Transaction& tx) { return tx.retention().NoteUnused(each.sha256, now_ms); }));
      }
      ++review.unused_blobs;
      review.unused_bytes += each.length;
      review.dropped_blobs += each.dropped ? 1 : 0;
      review.dropped_bytes += each.dropped ? each.length : 0;
      if (review.unused.size() < kMaxListedUnused) review.unused.push_back(std::move(each));
    }
  }
  return review;
}

}  // namespace ferry::server

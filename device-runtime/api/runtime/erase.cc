// What the runtime knows of who uses the app goes, and whether rows may go to the cloud.
//
// The wish is durable first, in each outbox; then the log of events goes, and with it the key that
// it lay under; then what events led to. A process that is killed amid it does the same again at
// its next start, before anything runs.
#include "common/base/json.h"
#include "common/base/log.h"
#include "common/sys/clock.h"
#include "device-runtime/api/runtime/connected_agent.h"
#include "device-runtime/api/runtime/event_feed.h"
#include "device-runtime/api/runtime/runtime.h"

namespace ferry::api {
namespace {

void AddTo(const store::ErasedCounts& one, store::ErasedCounts* all) {
  all->records += one.records;
  all->state_pairs += one.state_pairs;
  all->table_rows += one.table_rows;
  all->bytes += one.bytes;
}

Json EventsJson(const log::EraseReceipt& receipt) {
  return {{"events", receipt.events},
          {"event_bytes", receipt.bytes},
          {"key_destroyed", receipt.key_destroyed}};
}

Status NoteReceipt(store::Outbox& outbox, const Json& receipt) {
  return outbox.NoteErased(outbox.last_erasure().number, WriteJson(receipt), "");
}

bool IsPending(const store::Outbox& outbox) {
  const store::Erasure last = outbox.last_erasure();
  return last.number != 0 && last.device.empty();
}

}  // namespace

Status RuntimeCore::FinishErasure(store::Outbox& outbox, EventFeed& feed) {
  if (!IsPending(outbox)) return OkStatus();
  Json receipt;
  FERRY_ASSIGN_OR_RETURN(const auto events, feed.Erase([&](uint64_t last) -> Status {
    // The group of local tasks has read its outbox already; that of the agent is not made yet.
    const bool local = &outbox == outbox_.get();
    FERRY_ASSIGN_OR_RETURN(const store::ErasedCounts counts,
                           local ? opened_->Erase(last) : outbox.Erase(last));
    receipt = store::ErasedToJson(counts, sys::SystemClock().NowUnixMs());
    return OkStatus();
  }));
  receipt.update(EventsJson(events));
  return NoteReceipt(outbox, receipt);
}

Status RuntimeCore::EraseGroups(uint64_t last, const std::shared_ptr<ConnectedAgent>& connected,
                                Json* receipt) {
  FERRY_ASSIGN_OR_RETURN(store::ErasedCounts all, opened_->Erase(last));
  if (connected != nullptr) {
    FERRY_ASSIGN_OR_RETURN(const store::ErasedCounts agents, connected->Erase(last));
    AddTo(agents, &all);
  }
  *receipt = store::ErasedToJson(all, sys::SystemClock().NowUnixMs());
  return OkStatus();
}

Result<Json> RuntimeCore::Erase(const std::string& asked) {
  const std::lock_guard lock(erase_mutex_);
  if (closing_) return Status(Code::kFailedPrecondition, "the runtime is closing");
  const std::shared_ptr<ConnectedAgent> connected = agent();
  std::vector<store::Outbox*> outboxes;
  if (connected != nullptr) outboxes.push_back(&connected->outbox());
  if (outbox_ != nullptr) outboxes.push_back(outbox_.get());
  const int64_t now_ms = sys::SystemClock().NowUnixMs();
  for (store::Outbox* outbox : outboxes) FERRY_TRY(outbox->BeginErase(asked, now_ms).status());
  Json receipt;
  const auto rest = [&](uint64_t last) { return EraseGroups(last, connected, &receipt); };
  std::shared_ptr<EventFeed> log;
  {
    const std::lock_guard feed_lock(feed_->mutex);
    log = feed_->feed;
  }
  if (log != nullptr) {
    FERRY_ASSIGN_OR_RETURN(const log::EraseReceipt events, log->Erase(rest));
    receipt.update(EventsJson(events));
  } else {
    FERRY_TRY(rest(0));
  }
  for (store::Outbox* outbox : outboxes) FERRY_TRY(NoteReceipt(*outbox, receipt));
  if (connected != nullptr) connected->TellErased();
  if (!outboxes.empty()) return store::ErasureToJson(outboxes.front()->last_erasure());
  return Json{{"number", 0},
              {"asked", asked},
              {"asked_ms", now_ms},
              {"device", std::move(receipt)},
              {"cloud", nullptr}};
}

Status RuntimeCore::SetConsent(bool given) {
  const std::shared_ptr<ConnectedAgent> connected = agent();
  if (connected == nullptr && outbox_ == nullptr)
    return Status(Code::kFailedPrecondition,
                  "consent is kept in the outbox or in the agent's state directory; there is "
                  "neither, and nothing leaves");
  if (outbox_ != nullptr) FERRY_TRY(outbox_->SetConsent(given));
  if (connected == nullptr) return OkStatus();
  FERRY_TRY(connected->outbox().SetConsent(given));
  if (given) connected->SendRows();
  return OkStatus();
}

}  // namespace ferry::api

// What is known of who uses the device goes, at the operator's wish or the app's.
#include "cloud-server/ingest/erase.h"
#include "cloud-server/gateway/session.h"
#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

constexpr size_t kMaxErasureReceipt = 16 << 10;
constexpr char kByDevice[] = "device";

// The row that this message is about; a new one for what the app asked.
Result<ErasureRow> RowOf(Transaction& tx, const std::string& device, const proto::EraseData& said) {
  const auto number = static_cast<int64_t>(said.number());
  if (said.request() != 0) {
    auto asked = tx.erasures().Get(static_cast<int64_t>(said.request()));
    if (asked.ok() && asked->device == device) return asked;
    if (!asked.ok() && asked.code() != Code::kNotFound) return asked;
  }
  FERRY_ASSIGN_OR_RETURN(auto known, tx.erasures().OfDevice(device, number));
  if (known) return std::move(*known);
  ErasureRow row;
  row.device = device;
  row.asked_by = kByDevice;
  row.asked_ms = said.asked_ms();
  row.device_number = number;
  FERRY_ASSIGN_OR_RETURN(row.id, tx.erasures().Ask(row));
  return row;
}

}  // namespace

void Session::AskForErasure() {
  if (!erases_) return;
  uint64_t request = 0;
  const Status read = options().store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto pending, tx.erasures().Pending(device_));
    if (pending) request = static_cast<uint64_t>(pending->id);
    return OkStatus();
  });
  if (!read.ok()) LogWarn("gateway", "device {}: {}", device_, read.ToString());
  if (request == 0) return;
  proto::Envelope message;
  message.mutable_ask_erase()->set_request(request);
  Send(message);
}

Status Session::OnEraseData(const proto::EraseData& said) {
  if (said.receipt().size() > kMaxErasureReceipt || said.number() == 0)
    return Status(Code::kMalformed, "an erasure without a number, or with a receipt too large");
  FERRY_TRY(ParseJson(said.receipt()).status().Context("receipt of an erasure"));
  // Each leaves a row in the audit log: a device may not fill it. One that is passed over says it
  // again at its next login.
  FERRY_TRY(options().ingest->TakeReport(device_));
  batches_.clear();  // rows of before, which the device has no more
  FERRY_ASSIGN_OR_RETURN(const ErasedHere here, EraseDevice(*options().store, device_));
  const int64_t now_ms = options().clock->NowUnixMs();
  ErasureRow row;
  AuditRow noted;
  FERRY_TRY(options().store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(row, RowOf(tx, device_, said));
    row.device_number = static_cast<int64_t>(said.number());
    if (row.device_ms == 0) row.device_ms = now_ms;
    row.device_receipt = said.receipt();
    row.records += here.records;
    row.refused += here.refused;
    row.texts += here.texts;
    FERRY_TRY(tx.erasures().Put(row));
    AuditEntry entry;
    entry.time_ms = now_ms;
    entry.source = channel_->peer();
    entry.action = "erase";
    entry.target = device_;
    entry.outcome = "done";
    entry.reason = fmt::format("erasure {}, asked for by {}: {} records, {} refused, {} texts",
                               row.id, row.asked_by, row.records, row.refused, row.texts);
    FERRY_ASSIGN_OR_RETURN(noted, tx.audit().Append(entry));
    return OkStatus();
  }));
  LogInfo("gateway", "device {}: erased {} records", device_, row.records);
  proto::Envelope answer;
  answer.mutable_data_erased()->set_number(said.number());
  answer.mutable_data_erased()->set_receipt(
      WriteJson({{"id", row.id},
                 {"records", row.records},
                 {"refused", row.refused},
                 {"texts", row.texts},
                 {"erased_ms", now_ms},
                 {"audit", {{"seq", noted.seq}, {"hash", noted.hash}}}}));
  Send(answer);
  return OkStatus();
}

}  // namespace ferry::server

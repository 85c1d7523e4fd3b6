// What an admitted device asks for and tells.
#include <algorithm>
#include <cctype>

#include "cloud-server/gateway/session.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

// "TASK_FAILED" -> "task_failed".
Result<std::string> StepName(const proto::Report& report) {
  if (report.step() == proto::Report::STEP_UNSPECIFIED ||
      !proto::Report::Step_IsValid(report.step())) {
    return Status::Of(Code::kMalformed, "report {}: unknown step {}", report.seq(),
                      static_cast<int>(report.step()));
  }
  std::string name = proto::Report::Step_Name(report.step());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

Status CheckReportText(const std::string& text, const char* field) {
  if (text.size() <= kMaxReportText) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "report: {}: {} bytes, at most {}", field, text.size(),
                    kMaxReportText);
}

Result<ReportRow> RowOf(const std::string& device, const proto::Report& report, int64_t now_ms) {
  if (report.seq() == 0) return Status(Code::kMalformed, "report: seq 0");
  FERRY_TRY(CheckReportText(report.release_id(), "release_id"));
  FERRY_TRY(CheckReportText(report.package(), "package"));
  FERRY_TRY(CheckReportText(report.version(), "version"));
  FERRY_TRY(CheckReportText(report.previous_version(), "previous_version"));
  ReportRow row;
  FERRY_ASSIGN_OR_RETURN(row.step, StepName(report));
  row.device = device;
  row.seq = report.seq();
  row.release = report.release_id();
  row.epoch = static_cast<int64_t>(report.epoch());
  row.package = report.package();
  row.version = report.version();
  row.error_code = report.error_code();
  row.error_text = proto::CutText(report.error_text());
  row.time_ms = report.time_ms();
  row.received_ms = now_ms;
  row.bytes_pulled = report.bytes_pulled();
  row.was_delta = report.was_delta();
  row.by_push = report.by_push();
  row.previous_version = report.previous_version();
  return row;
}

}  // namespace

void Session::NoteSeen() {
  const int64_t now_ms = options().clock->NowUnixMs();
  if (now_ms - seen_ms_ < kSeenIntervalMs) return;
  seen_ms_ = now_ms;
  const Status status = options().store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device_));
    row.last_seen_ms = now_ms;
    return tx.devices().Put(row);
  });
  if (!status.ok()) LogWarn("gateway", "device {}: last seen: {}", device_, status.ToString());
}

Status Session::CheckNotBlocked() {
  bool blocked = false;
  const Status read = options().store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device_));
    blocked = row.blocked;
    return OkStatus();
  });
  // A store that cannot be read fails the request itself, which says so.
  if (!read.ok() || !blocked) return OkStatus();
  return Status::Of(Code::kPermissionDenied, "device {} is blocked", device_);
}

Status Session::OnPoll(const proto::Poll& poll) {
  NoteSeen();
  const auto have = static_cast<int64_t>(std::min<uint64_t>(poll.have_epoch(), INT64_MAX));
  FERRY_ASSIGN_OR_RETURN(const Bytes document, options().rollout->SignedAssignment(device_, have));
  proto::Envelope answer;
  answer.mutable_assignment()->set_signed_json(document.data(), document.size());
  Send(answer);
  return OkStatus();
}

Status Session::OnMetadata(const proto::MetadataRequest& request) {
  proto::Envelope answer;
  proto::Metadata* metadata = answer.mutable_metadata();
  metadata->set_role(request.role());
  const auto version = static_cast<int64_t>(std::min<uint64_t>(request.version(), INT64_MAX));
  const Result<MetadataRow> row = options().registry->Metadata(request.role(), version);
  if (row.ok()) {
    metadata->set_signed_json(row->document.data(), row->document.size());
  } else if (row.code() != Code::kNotFound) {
    return row.status();
  }
  Send(answer);
  return OkStatus();
}

Status Session::OnKey(const proto::KeyRequest& request) {
  FERRY_ASSIGN_OR_RETURN(
      const Registry::DeviceKey key,
      options().registry->WrapKey(device_, request.target_path(), request.release_id()));
  proto::Envelope answer;
  proto::WrappedKey* wrapped = answer.mutable_wrapped_key();
  wrapped->set_target_path(request.target_path());
  wrapped->set_key_id(key.key_id);
  wrapped->set_enc(key.wrapped.enc.data(), key.wrapped.enc.size());
  wrapped->set_sealed(key.wrapped.sealed.data(), key.wrapped.sealed.size());
  Send(answer);
  return OkStatus();
}

// An acknowledgement stands for all reports before it: a report that could not be stored ends the
// session, so that none is acknowledged past it. One that can never be stored is passed over.
Status Session::OnReport(const proto::Report& report) {
  const Result<ReportRow> row = RowOf(device_, report, options().clock->NowUnixMs());
  if (!row.ok()) {
    LogWarn("gateway", "device {}: {}", device_, row.status().ToString());
  } else {
    FERRY_TRY(options().rollout->OnReport(*row));
  }
  proto::Envelope answer;
  answer.mutable_report_ack()->set_seq(report.seq());
  Send(answer);
  return OkStatus();
}

// A device may send nothing else: a line a minute says enough.
void Session::NoteRefused(const IngestNotes& notes) {
  refused_ += notes.refused;
  const int64_t now_ms = options().clock->NowUnixMs();
  if (notes.refused == 0 || now_ms - refused_logged_ms_ < kRefusedLogMs) return;
  LogWarn("gateway", "device {}: {} records refused on this line, {}", device_, refused_,
          proto::CutText(notes.first_reason, kMaxReportText));
  refused_logged_ms_ = now_ms;
}

void Session::OnBatch(const proto::TunnelBatch& batch) {
  if (batches_.size() >= kMaxWaitingBatches) return;  // not acknowledged: it comes again
  batches_.push_back(batch);
  executor_.Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->TakeBatch();
  });
}

void Session::TakeBatch() {
  if (state_ != State::kReady || batches_.empty()) return;
  const proto::TunnelBatch batch = std::move(batches_.front());
  batches_.pop_front();
  const int64_t now_ns = options().clock->MonotonicNs();
  // What follows a failed batch would be a gap, and its answer would make the device send at once.
  if (now_ns < batches_from_ns_) return;
  const Status stored = StoreBatch(batch);
  if (stored.ok()) return;
  batches_from_ns_ = now_ns + kBatchPauseMs * 1'000'000;
  const int64_t now_ms = options().clock->NowUnixMs();
  if (now_ms - failed_logged_ms_ < kRefusedLogMs) return;
  LogWarn("gateway", "device {}: a batch: {}", device_,
          proto::CutText(stored.ToString(), kMaxReportText));
  failed_logged_ms_ = now_ms;
}

Status Session::StoreBatch(const proto::TunnelBatch& batch) {
  NoteSeen();
  proto::Envelope answer;
  IngestNotes notes;
  FERRY_TRY(options().ingest->OnBatch(device_, batch, answer.mutable_tunnel_ack(), &notes));
  if (notes.lost_first != 0) {
    LogWarn("gateway", "device {}: records {} to {} were acknowledged and are not here", device_,
            notes.lost_first, notes.lost_last);
  }
  NoteRefused(notes);
  Send(answer);
  return OkStatus();
}

}  // namespace ferry::server

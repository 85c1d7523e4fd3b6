// What an admitted device asks for and tells.
#include <algorithm>
#include <cctype>
#include <map>

#include "cloud-server/gateway/session.h"
#include "cloud-server/have/text.h"
#include "cloud-server/rollout/rollout.h"
#include "common/base/log.h"
#include "common/trust/desired.h"
#include "common/trust/documents/personal/delegation.h"

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

Result<std::map<std::string, double>> MetricsOf(const proto::Report& report) {
  if (report.metrics().size() > proto::kMaxMetricsInReport)
    return Status::Of(Code::kLimitExceeded, "report {}: {} metrics, at most {}", report.seq(),
                      report.metrics().size(), proto::kMaxMetricsInReport);
  std::map<std::string, double> metrics;
  for (const auto& [name, value] : report.metrics()) {
    const Status fits = proto::CheckMetric(name, value);
    if (!fits.ok()) return fits.Context("report {}", report.seq());
    metrics[name] = value;
  }
  return metrics;
}

// As much as a device may count; sums of many stay far below 2^63.
constexpr uint64_t kMaxUseCount = uint64_t{1} << 40;

TaskUse UseOf(const proto::Use& use) {
  const auto bounded = [](uint64_t count) {
    return static_cast<int64_t>(std::min(count, kMaxUseCount));
  };
  return {bounded(use.events()), bounded(use.starts()), bounded(use.failures()),
          bounded(use.inferences())};
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
  row.time_ms = std::clamp<int64_t>(report.time_ms(), 0, kMaxReportTimeMs);
  row.received_ms = now_ms;
  row.bytes_pulled = report.bytes_pulled();
  row.was_delta = report.was_delta();
  row.by_push = report.by_push();
  row.previous_version = report.previous_version();
  if (report.step() == proto::Report::MEASURED) {
    FERRY_ASSIGN_OR_RETURN(row.metrics, MetricsOf(report));
    row.use = UseOf(report.use());
  }
  return row;
}

Result<std::vector<InstalledRow>> InstalledOf(const std::string& device, const proto::Poll& poll) {
  if (poll.have_size() > static_cast<int>(trust::kMaxDesiredPackages))
    return Status::Of(Code::kLimitExceeded, "poll: {} packages, at most {}", poll.have_size(),
                      trust::kMaxDesiredPackages);
  std::map<std::string, InstalledRow> rows;  // sorted, each package once
  for (const proto::PackageState& state : poll.have()) {
    FERRY_TRY(CheckReportText(state.name(), "package"));
    FERRY_TRY(CheckReportText(state.version(), "version"));
    FERRY_TRY(CheckReportText(state.release(), "release_id"));
    if (state.name().empty() || state.version().empty()) continue;
    rows[state.name()] = {device, state.name(), state.version(), state.release(), state.disabled()};
  }
  std::vector<InstalledRow> installed;
  for (auto& [name, row] : rows) installed.push_back(std::move(row));
  return installed;
}

}  // namespace

void Session::NoteSeen() {
  const int64_t now_ms = options().clock->NowUnixMs();
  if (now_ms - seen_ms_ < kSeenIntervalMs) return;
  seen_ms_ = now_ms;
  options().rollout->QueueSeen(device_);
}

Status Session::OnPoll(const proto::Poll& poll) {
  const auto root = static_cast<int64_t>(std::min<uint64_t>(poll.root_version(), INT64_MAX));
  if (root > root_version_) {
    root_version_ = root;
    options().rollout->QueueSeen(device_, root);
  }
  NoteSeen();
  woken_epoch_ = 0;  // a wake-up after this one is news, also of the same assignment
  const auto have = static_cast<int64_t>(std::min<uint64_t>(poll.have_epoch(), INT64_MAX));
  const auto personal =
      static_cast<int64_t>(std::min<uint64_t>(poll.personal_version(), INT64_MAX));
  FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> installed, InstalledOf(device_, poll));
  int64_t generation = 0;
  FERRY_ASSIGN_OR_RETURN(const Bytes document,
                         options().rollout->SignedAssignment(
                             device_, have, reads_desired_ ? &installed : nullptr,
                             poll.has_personal_version() ? &personal : nullptr, &generation));
  proto::Envelope answer;
  answer.mutable_assignment()->set_signed_json(document.data(), document.size());
  answer.mutable_assignment()->set_have_text(HaveText(generation));
  Send(answer);
  return OkStatus();
}

std::string Session::HaveText(int64_t generation) const {
  return SealHave(*options().content_secret, {device_, generation}, options().clock->NowUnixMs(),
                  *options().random);
}

Status Session::OnMetadata(const proto::MetadataRequest& request) {
  proto::Envelope answer;
  proto::Metadata* metadata = answer.mutable_metadata();
  metadata->set_role(request.role());
  const auto version = static_cast<int64_t>(std::min<uint64_t>(request.version(), INT64_MAX));
  // Of this line's device: nobody asks for another's.
  const Result<MetadataRow> row = request.role() == trust::kPersonalRole
                                      ? options().registry->PersonalDocument(device_, version)
                                      : options().registry->Metadata(request.role(), version);
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
      request.release_id() == trust::kPersonalRole
          ? options().registry->WrapPersonalKey(device_, request.target_path())
          : options().registry->WrapKey(device_, request.target_path(), request.release_id()));
  proto::Envelope answer;
  proto::WrappedKey* wrapped = answer.mutable_wrapped_key();
  wrapped->set_target_path(request.target_path());
  wrapped->set_key_id(key.key_id);
  wrapped->set_enc(key.wrapped.enc.data(), key.wrapped.enc.size());
  wrapped->set_sealed(key.wrapped.sealed.data(), key.wrapped.sealed.size());
  Send(answer);
  return OkStatus();
}

// False when the device has brought in its reports of the day: none of this line is acknowledged
// from then on, and all else goes on. The line ends with the day, so that they come again.
Result<bool> Session::TakeReport() {
  const Status taken = options().ingest->TakeReport(device_);
  if (taken.ok() && !reports_closed_) return true;
  if (taken.ok()) return Status(Code::kQuotaUsed, "reports were passed over; now they may come");
  if (taken.code() != Code::kQuotaUsed) return taken;
  NoteRefusal("reports_day", std::string(taken.message()));
  reports_closed_ = true;
  return false;
}

// An acknowledgement stands for all reports before it: a report that could not be stored ends the
// session, so that none is acknowledged past it. One that can never be stored is passed over, in
// its turn.
Status Session::OnReport(const proto::Report& report) {
  Result<ReportRow> row = RowOf(device_, report, options().clock->NowUnixMs());
  if (!row.ok()) {
    NoteRefusal("report", proto::CutText(row.status().ToString(), kMaxReportText));
    refused_report_ = report.seq();
    if (reports_open_ == 0) AcknowledgeReport(report.seq());
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(const bool taken, TakeReport());
  if (!taken) return OkStatus();
  ++reports_open_;
  const std::weak_ptr<Session> weak = weak_from_this();
  sys::Executor* executor = &executor_;
  options().rollout->QueueReport(std::move(*row),
                                 [weak, executor, seq = report.seq()](const Status& stored) {
                                   executor->Post([weak, seq, stored] {
                                     if (const auto self = weak.lock())
                                       self->OnReportStored(seq, stored);
                                   });
                                 });
  return OkStatus();
}

void Session::OnReportStored(uint64_t seq, const Status& stored) {
  --reports_open_;
  if (state_ == State::kClosed) return;
  if (!stored.ok()) return Fail(stored);
  AcknowledgeReport(reports_open_ == 0 ? std::max(seq, refused_report_) : seq);
}

void Session::AcknowledgeReport(uint64_t seq) {
  proto::Envelope answer;
  answer.mutable_report_ack()->set_seq(seq);
  Send(answer);
}

}  // namespace ferry::server

// GET /metrics: the server's state for Prometheus.
#include "cloud-server/admin/metrics/metrics.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

Metric Gauge(std::string name, std::string help, double value) {
  return {std::move(name), std::move(help), false, {}, value};
}

Status AddReleaseMetrics(Transaction& tx, std::vector<Metric>* metrics) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> releases, tx.releases().All());
  std::map<std::string_view, int64_t> by_state;
  for (const ReleaseState state :
       {ReleaseState::kDraft, ReleaseState::kSimulating, ReleaseState::kBeta, ReleaseState::kGray,
        ReleaseState::kFull, ReleaseState::kComplete, ReleaseState::kPaused,
        ReleaseState::kRollingBack, ReleaseState::kRolledBack, ReleaseState::kStopped,
        ReleaseState::kFailedSimulation, ReleaseState::kSuperseded})
    by_state[NameOf(state)] = 0;
  for (const ReleaseRow& release : releases) ++by_state[NameOf(release.state)];
  for (const auto& [state, count] : by_state)
    metrics->push_back({"ferry_releases",
                        "Releases by state",
                        false,
                        {{"state", std::string(state)}},
                        static_cast<double>(count)});
  return OkStatus();
}

Status AddStoreMetrics(const AdminOptions& admin, std::vector<Metric>* metrics) {
  FERRY_TRY(admin.store->Read([&](Transaction& tx) -> Status {
    using Kind = RetentionRepository::Kind;
    const auto add = [&](const char* name, const char* help, int64_t value) {
      metrics->push_back(Gauge(name, help, static_cast<double>(value)));
    };
    FERRY_TRY(AddReleaseMetrics(tx, metrics));
    FERRY_ASSIGN_OR_RETURN(const int64_t devices, tx.devices().Count());
    add("ferry_devices_known", "Devices that have joined", devices);
    FERRY_ASSIGN_OR_RETURN(const int64_t reports, tx.retention().Rows(Kind::kReports));
    add("ferry_reports_kept", "Reports of devices that are kept", reports);
    FERRY_ASSIGN_OR_RETURN(const IntakeTotals totals, tx.intake().Totals());
    add("ferry_records_refused", "Records of devices that were refused", totals.refused);
    add("ferry_records_lost", "Records that were acknowledged and are gone", totals.lost);
    FERRY_ASSIGN_OR_RETURN(const AuditHead head, tx.audit().Head());
    add("ferry_audit_rows", "Number of the newest row of the audit log", head.seq);
    FERRY_ASSIGN_OR_RETURN(const int64_t last, tx.webhooks().LastEvent());
    FERRY_ASSIGN_OR_RETURN(const auto hooks, tx.webhooks().All());
    for (const WebhookRow& hook : hooks)
      metrics->push_back({"ferry_webhook_waiting",
                          "Events that a webhook was not told yet",
                          false,
                          {{"webhook", hook.id}},
                          static_cast<double>(last - hook.cursor)});
    FERRY_ASSIGN_OR_RETURN(const auto packages, tx.packages().All());
    add("ferry_packages", "Package versions that are published",
        static_cast<int64_t>(packages.size()));
    return OkStatus();
  }));
  FERRY_ASSIGN_OR_RETURN(const StoreSizes sizes, admin.store->Sizes());
  for (const auto& [part, bytes] : {std::pair{"database", sizes.database},
                                    std::pair{"free", sizes.free}, std::pair{"log", sizes.log}})
    metrics->push_back({"ferry_store_bytes",
                        "What the database takes on the disk",
                        false,
                        {{"part", part}},
                        static_cast<double>(bytes)});
  return OkStatus();
}

void AddHaveMetrics(const HaveDoor& door, std::vector<Metric>* metrics) {
  for (const auto& [answer, count] :
       {std::pair{"pull", door.told()}, std::pair{"nothing", door.answered() - door.told()}})
    metrics->push_back({"ferry_have_texts_total",
                        "Texts of devices that apps' servers asked with, by answer",
                        true,
                        {{"answer", answer}},
                        static_cast<double>(count)});
}

HttpResponse GetMetrics(const Call& call) {
  std::vector<Metric> metrics = ProcessMetrics();
  if (const Status added = AddStoreMetrics(call.admin, &metrics); !added.ok())
    return ErrorResponse(added);
  if (call.have != nullptr) AddHaveMetrics(*call.have, &metrics);
  if (call.admin.metrics) {
    std::vector<Metric> more = call.admin.metrics();
    metrics.insert(metrics.end(), more.begin(), more.end());
  }
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = MetricsText(std::move(metrics)) + call.calls.Text();
  return response;
}

}  // namespace

void Add_metrics(Routes& routes) {
  routes.AddRaw("GET", "/metrics", GetMetrics);
}

}  // namespace ferry::server

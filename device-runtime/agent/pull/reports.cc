#include "device-runtime/agent/pull/reports.h"

#include "common/base/log.h"
#include "device-runtime/agent/line/messages.h"

namespace ferry::agent {
namespace {

void Send(const Parts& parts, const Report& report) {
  proto::Envelope envelope;
  FillReport(report, envelope.mutable_report());
  if (Status sent = parts.link->Send(envelope); !sent.ok()) {
    LogWarn("agent", "report {}: {}", NameOf(report.step), sent.ToString());
  }
}

}  // namespace

void AddReport(const Parts& parts, Report report) {
  LogInfo("agent", "{}: {} {} {} {}", parts.identity->device_id.substr(0, 8), NameOf(report.step),
          report.package, report.version, report.error_text);
  if (Status added = parts.journal->Add(std::move(report)); !added.ok()) {
    LogError("agent", "journal: {}", added.ToString());
  }
  if (parts.link->ready()) Send(parts, parts.journal->waiting().back());
}

void ReportObserving(const Parts& parts, const std::string& package, const std::string& version) {
  Report report;
  report.step = Step::kObserving;
  report.release = parts.journal->Observed(package)->release;
  report.epoch = parts.journal->finished_epoch();
  report.package = package;
  report.version = version;
  report.time_ms = parts.clock->NowUnixMs();
  AddReport(parts, std::move(report));
}

void SendWaiting(const Parts& parts) {
  for (const Report& report : parts.journal->waiting()) Send(parts, report);
}

}  // namespace ferry::agent

#include <algorithm>

#include "cloud-server/store/sql/report_rows.h"
#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

Result<ReportRow> ReadReport(Row& row) {
  ReportRow report;
  report.device = row.NextText();
  report.seq = row.NextUint();
  report.release = row.NextText();
  report.epoch = row.NextInt();
  report.step = row.NextText();
  report.package = row.NextText();
  report.version = row.NextText();
  report.error_code = row.NextInt();
  report.error_text = row.NextText();
  report.time_ms = row.NextInt();
  report.received_ms = row.NextInt();
  report.bytes_pulled = row.NextUint();
  report.was_delta = row.NextBool();
  report.by_push = row.NextBool();
  report.previous_version = row.NextText();
  FERRY_ASSIGN_OR_RETURN(report.metrics, ReadNumbers(row.NextText()));
  return report;
}

class Reports : public ReportRepository {
 public:
  explicit Reports(Connection& sql) : sql_(sql) {}

  Result<bool> Add(const ReportRow& row) override {
    FERRY_TRY(
        sql_.Run("INSERT INTO report (" FERRY_REPORT_COLUMNS
                 ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, "
                 "?16) "
                 "ON CONFLICT (device, seq) DO NOTHING",
                 {row.device, row.seq, row.release, row.epoch, row.step, row.package, row.version,
                  row.error_code, row.error_text, row.time_ms, row.received_ms, row.bytes_pulled,
                  row.was_delta, row.by_push, row.previous_version, WriteNumbers(row.metrics)}));
    return sql_.changes() == 1;
  }

  Result<std::vector<ReportRow>> OfDevice(const std::string& device, size_t limit) override {
    return Select("SELECT " FERRY_REPORT_COLUMNS
                  " FROM report WHERE device = ?1 ORDER BY seq DESC LIMIT ?2",
                  {device, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<std::vector<ReportRow>> OfRelease(const std::string& release, size_t limit) override {
    return Select("SELECT " FERRY_REPORT_COLUMNS
                  " FROM report WHERE release = ?1 ORDER BY number DESC LIMIT ?2",
                  {release, uint64_t{std::min(limit, kMaxPageRows)}});
  }

 private:
  Result<std::vector<ReportRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<ReportRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(ReportRow report, ReadReport(row));
      rows.push_back(std::move(report));
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<ReportRepository> MakeReportRepository(Connection& sql) {
  return std::make_unique<Reports>(sql);
}

}  // namespace ferry::server

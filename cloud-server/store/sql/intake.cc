#include <algorithm>

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_ADD_USED                                                                            \
  "ON CONFLICT (day, device, stream) DO UPDATE SET \"rows\" = intake_day.\"rows\" + ?4, bytes = " \
  "intake_day.bytes + ?5"

class Intake : public IntakeRepository {
 public:
  explicit Intake(Connection& sql) : sql_(sql) {}

  Result<uint64_t> Mark(const std::string& device, const std::string& outbox) override {
    uint64_t seq = 0;
    FERRY_TRY(sql_.Query("SELECT seq FROM outbox_mark WHERE device = ?1 AND outbox = ?2",
                         {device, outbox}, [&](Row& row) {
                           seq = row.NextUint();
                           return OkStatus();
                         }));
    return seq;
  }

  Status PutMark(const std::string& device, const std::string& outbox, uint64_t seq,
                 int64_t heard_ms) override {
    FERRY_TRY(
        sql_.Run("UPDATE outbox_mark SET seq = ?3, heard_ms = ?4 WHERE device = ?1 AND outbox = ?2 "
                 "AND ?3 >= seq",
                 {device, outbox, seq, heard_ms}));
    if (sql_.changes() == 1) return OkStatus();
    FERRY_TRY(
        sql_.Run("INSERT INTO outbox_mark (device, outbox, seq, heard_ms, number) "
                 "VALUES (?1, ?2, ?3, ?4, "
                 "(SELECT coalesce(max(number), 0) + 1 FROM outbox_mark WHERE device = ?1)) "
                 "ON CONFLICT (device, outbox) DO NOTHING",
                 {device, outbox, seq, heard_ms}));
    if (sql_.changes() == 1)
      return sql_.Run(
          "DELETE FROM outbox_mark WHERE device = ?1 AND number + ?2 <= "
          "(SELECT max(number) FROM outbox_mark WHERE device = ?1)",
          {device, uint64_t{kMaxOutboxMarks}});
    return Status::Of(Code::kConflict, "the mark of outbox {} of device {} is above {}", outbox,
                      device, seq);
  }

  Result<bool> AddRefused(const RefusedRecordRow& row) override {
    FERRY_TRY(sql_.Run(
        "INSERT INTO record_refused (device, outbox, seq, stream, error_code, reason, received_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (device, outbox, seq) DO NOTHING",
        {row.device, row.outbox, row.seq, row.stream, int64_t{row.error_code}, row.reason,
         row.received_ms}));
    return sql_.changes() == 1;
  }

  Result<std::vector<RefusedRecordRow>> Refused(const std::string& device, size_t limit) override {
    std::vector<RefusedRecordRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT device, outbox, seq, stream, error_code, reason, received_ms FROM record_refused "
        "WHERE ?1 = '' OR device = ?1 ORDER BY number DESC LIMIT ?2",
        {device, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
          RefusedRecordRow& refused = rows.emplace_back();
          refused.device = row.NextText();
          refused.outbox = row.NextText();
          refused.seq = row.NextUint();
          refused.stream = row.NextText();
          refused.error_code = static_cast<int>(row.NextInt());
          refused.reason = row.NextText();
          refused.received_ms = row.NextInt();
          return OkStatus();
        }));
    return rows;
  }

  Result<bool> AddLoss(const RecordLossRow& row) override {
    FERRY_TRY(
        sql_.Run("INSERT INTO record_loss (device, outbox, first_seq, last_seq, noted_ms) "
                 "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, outbox, first_seq) DO NOTHING",
                 {row.device, row.outbox, row.first_seq, row.last_seq, row.noted_ms}));
    return sql_.changes() == 1;
  }

  Result<std::vector<RecordLossRow>> Losses(const std::string& device, size_t limit) override {
    std::vector<RecordLossRow> rows;
    FERRY_TRY(
        sql_.Query("SELECT device, outbox, first_seq, last_seq, noted_ms FROM record_loss "
                   "WHERE ?1 = '' OR device = ?1 ORDER BY number DESC LIMIT ?2",
                   {device, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
                     RecordLossRow& loss = rows.emplace_back();
                     loss.device = row.NextText();
                     loss.outbox = row.NextText();
                     loss.first_seq = row.NextUint();
                     loss.last_seq = row.NextUint();
                     loss.noted_ms = row.NextInt();
                     return OkStatus();
                   }));
    return rows;
  }

  Result<DayUse> Used(int64_t day, const std::string& device, const std::string& stream) override {
    DayUse use;
    FERRY_TRY(sql_.Query(
        sql_.Choose(
            "SELECT \"rows\", bytes FROM intake_day WHERE day = ?1 AND device = ?2 AND stream = ?3",
            "SELECT CAST(COALESCE(sum(\"rows\"), 0) AS BIGINT), "
            "CAST(COALESCE(sum(bytes), 0) AS BIGINT) FROM intake_day "
            "WHERE day = ?1 AND device = ?2 AND (stream = ?3 OR ?2 = '')"),
        {day, device, stream}, [&](Row& row) {
          use.rows = row.NextInt();
          use.bytes = row.NextInt();
          return OkStatus();
        }));
    return use;
  }

  Status AddUsed(int64_t day, const std::string& device, const std::string& stream,
                 const DayUse& more) override {
    // All writers add to the sum of all devices: on PostgreSQL it lies in several rows, which
    // connections share out by their process, so that they do not clash over one.
    return sql_.Run(
        sql_.Choose("INSERT INTO intake_day VALUES (?1, ?2, ?3, ?4, ?5) " FERRY_ADD_USED,
                    "INSERT INTO intake_day VALUES (?1, ?2, CASE WHEN ?2 = '' THEN "
                    "'/' || pg_backend_pid() % 64 ELSE ?3 END, ?4, ?5) " FERRY_ADD_USED),
        {day, device, stream, more.rows, more.bytes});
  }

  Result<int64_t> StreamsUsed(int64_t day, const std::string& device) override {
    int64_t count = 0;
    FERRY_TRY(sql_.Query(
        "SELECT count(*) FROM intake_day WHERE day = ?1 AND device = ?2 AND stream <> ''",
        {day, device}, [&](Row& row) {
          count = row.NextInt();
          return OkStatus();
        }));
    return count;
  }

  Result<int64_t> ReportsSince(const std::string& device, int64_t since_ms, int64_t most) override {
    int64_t count = 0;
    FERRY_TRY(
        sql_.Query("SELECT count(*) FROM (SELECT received_ms FROM report WHERE device = ?1 "
                   "ORDER BY seq DESC LIMIT ?3) AS latest WHERE received_ms >= ?2",
                   {device, since_ms, most}, [&](Row& row) {
                     count = row.NextInt();
                     return OkStatus();
                   }));
    return count;
  }

  Result<IntakeTotals> Totals() override {
    IntakeTotals totals;
    // No sum of integers: devices name the ranges, and it may run over.
    FERRY_TRY(sql_.Query(
        sql_.Choose(
            "SELECT CAST(min(total(last_seq - first_seq + 1), 9e15) AS INTEGER), "
            "(SELECT count(*) FROM record_refused) FROM record_loss",
            "SELECT CAST(LEAST(COALESCE(sum(CAST(last_seq AS NUMERIC) - first_seq + 1), 0), "
            "9000000000000000) AS BIGINT), (SELECT count(*) FROM record_refused) FROM record_loss"),
        {}, [&](Row& row) {
          totals.lost = row.NextInt();
          totals.refused = row.NextInt();
          return OkStatus();
        }));
    return totals;
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<IntakeRepository> MakeIntakeRepository(Connection& sql) {
  return std::make_unique<Intake>(sql);
}

}  // namespace ferry::server

#include <algorithm>

#include "cloud-server/store/sqlite/repositories.h"

namespace ferry::server {
namespace {

class Intake : public IntakeRepository {
 public:
  explicit Intake(Database& database) : database_(database) {}

  Result<uint64_t> Mark(const std::string& device, const std::string& outbox) override {
    uint64_t seq = 0;
    FERRY_TRY(database_.Query("SELECT seq FROM outbox_mark WHERE device = ?1 AND outbox = ?2",
                              {device, outbox}, [&](Row& row) {
                                seq = row.NextUint();
                                return OkStatus();
                              }));
    return seq;
  }

  Status PutMark(const std::string& device, const std::string& outbox, uint64_t seq) override {
    FERRY_TRY(
        database_.Run("INSERT INTO outbox_mark VALUES (?1, ?2, ?3) "
                      "ON CONFLICT (device, outbox) DO UPDATE SET seq = ?3 WHERE ?3 >= seq",
                      {device, outbox, seq}));
    if (database_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "the mark of outbox {} of device {} is above {}", outbox,
                      device, seq);
  }

  Result<bool> AddRefused(const RefusedRecordRow& row) override {
    FERRY_TRY(database_.Run(
        "INSERT INTO record_refused (device, outbox, seq, stream, error_code, reason, received_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (device, outbox, seq) DO NOTHING",
        {row.device, row.outbox, row.seq, row.stream, int64_t{row.error_code}, row.reason,
         row.received_ms}));
    return database_.changes() == 1;
  }

  Result<std::vector<RefusedRecordRow>> Refused(const std::string& device, size_t limit) override {
    std::vector<RefusedRecordRow> rows;
    FERRY_TRY(database_.Query(
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
    FERRY_TRY(database_.Run(
        "INSERT INTO record_loss (device, outbox, first_seq, last_seq, noted_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (device, outbox, first_seq) DO NOTHING",
        {row.device, row.outbox, row.first_seq, row.last_seq, row.noted_ms}));
    return database_.changes() == 1;
  }

  Result<std::vector<RecordLossRow>> Losses(const std::string& device, size_t limit) override {
    std::vector<RecordLossRow> rows;
    FERRY_TRY(
        database_.Query("SELECT device, outbox, first_seq, last_seq, noted_ms FROM record_loss "
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

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<IntakeRepository> MakeIntakeRepository(Database& database) {
  return std::make_unique<Intake>(database);
}

}  // namespace ferry::server

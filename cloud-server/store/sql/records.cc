#include <algorithm>

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_RECORDS                                                                         \
  "SELECT number, device, outbox, seq, stream, time_ms, received_ms, json FROM record WHERE " \
  "number > ?3 AND (?1 = '' OR stream = ?1) AND (?2 = '' OR device = ?2) "

class Records : public RecordRepository {
 public:
  explicit Records(Connection& sql) : sql_(sql) {}

  Result<bool> Add(const RecordRow& row) override {
    FERRY_TRY(sql_.Run(
        "INSERT INTO record (device, outbox, seq, stream, time_ms, received_ms, json) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (device, outbox, seq) DO NOTHING",
        {row.device, row.outbox, row.seq, row.stream, row.time_ms, row.received_ms, row.json}));
    return sql_.changes() == 1;
  }

  Result<std::vector<RecordRow>> List(const std::string& stream, const std::string& device,
                                      int64_t after, size_t limit, int64_t* last) override {
    std::vector<RecordRow> rows;
    if (last != nullptr) *last = after;
    FERRY_TRY(sql_.Query(sql_.Choose(FERRY_RECORDS "ORDER BY number LIMIT ?4", FERRY_RECORDS
                                     "AND number < ferry_settled(14) ORDER BY number LIMIT ?4"),
                         {stream, device, after, uint64_t{std::min(limit, kMaxPageRows)}},
                         [&](Row& row) {
                           const int64_t number = row.NextInt();
                           if (last != nullptr) *last = number;
                           RecordRow& record = rows.emplace_back();
                           record.device = row.NextText();
                           record.outbox = row.NextText();
                           record.seq = row.NextUint();
                           record.stream = row.NextText();
                           record.time_ms = row.NextInt();
                           record.received_ms = row.NextInt();
                           record.json = row.NextText();
                           return OkStatus();
                         }));
    return rows;
  }

  Result<std::vector<StreamCount>> Counts() override {
    std::vector<StreamCount> counts;
    FERRY_TRY(sql_.Query("SELECT stream, device, count(*) FROM record GROUP BY stream, device", {},
                         [&](Row& row) {
                           StreamCount& count = counts.emplace_back();
                           count.stream = row.NextText();
                           count.device = row.NextText();
                           count.rows = row.NextInt();
                           return OkStatus();
                         }));
    return counts;
  }

  Status PutLabel(const LabelRow& row) override {
    return sql_.Run(
        "INSERT INTO label (\"set\", key, label) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (\"set\", key) DO UPDATE SET label = ?3",
        {row.set, row.key, row.label});
  }

  Result<std::vector<LabelRow>> Labels(const std::string& set) override {
    std::vector<LabelRow> rows;
    FERRY_TRY(sql_.Query("SELECT key, label FROM label WHERE \"set\" = ?1 ORDER BY key", {set},
                         [&](Row& row) {
                           std::string key = row.NextText();
                           rows.push_back({set, std::move(key), row.NextText()});
                           return OkStatus();
                         }));
    return rows;
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<RecordRepository> MakeRecordRepository(Connection& sql) {
  return std::make_unique<Records>(sql);
}

}  // namespace ferry::server

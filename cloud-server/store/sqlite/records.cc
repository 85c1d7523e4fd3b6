#include <algorithm>

#include "cloud-server/store/sqlite/repositories.h"

namespace ferry::server {
namespace {

class Records : public RecordRepository {
 public:
  explicit Records(Database& database) : database_(database) {}

  Result<bool> Add(const RecordRow& row) override {
    FERRY_TRY(database_.Run(
        "INSERT INTO record (device, outbox, seq, stream, time_ms, received_ms, json) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (device, outbox, seq) DO NOTHING",
        {row.device, row.outbox, row.seq, row.stream, row.time_ms, row.received_ms, row.json}));
    return database_.changes() == 1;
  }

  Result<std::vector<RecordRow>> List(const std::string& stream, const std::string& device,
                                      int64_t after, size_t limit, int64_t* last) override {
    std::vector<RecordRow> rows;
    if (last != nullptr) *last = after;
    FERRY_TRY(database_.Query(
        "SELECT number, device, outbox, seq, stream, time_ms, received_ms, json FROM record "
        "WHERE number > ?3 AND (?1 = '' OR stream = ?1) AND (?2 = '' OR device = ?2) "
        "ORDER BY number LIMIT ?4",
        {stream, device, after, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
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
    FERRY_TRY(database_.Query("SELECT stream, device, count(*) FROM record GROUP BY stream, device",
                              {}, [&](Row& row) {
                                StreamCount& count = counts.emplace_back();
                                count.stream = row.NextText();
                                count.device = row.NextText();
                                count.rows = row.NextInt();
                                return OkStatus();
                              }));
    return counts;
  }

  Status PutLabel(const LabelRow& row) override {
    return database_.Run(
        "INSERT INTO label (\"set\", key, label) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (\"set\", key) DO UPDATE SET label = ?3",
        {row.set, row.key, row.label});
  }

  Result<std::vector<LabelRow>> Labels(const std::string& set) override {
    std::vector<LabelRow> rows;
    FERRY_TRY(database_.Query("SELECT key, label FROM label WHERE \"set\" = ?1 ORDER BY key", {set},
                              [&](Row& row) {
                                std::string key = row.NextText();
                                rows.push_back({set, std::move(key), row.NextText()});
                                return OkStatus();
                              }));
    return rows;
  }

 private:
  Database& database_;
};

}  // namespace

std::unique_ptr<RecordRepository> MakeRecordRepository(Database& database) {
  return std::make_unique<Records>(database);
}

}  // namespace ferry::server

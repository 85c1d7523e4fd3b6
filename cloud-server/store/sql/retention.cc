#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

// The rows of one kind lie in the order they came in; `time` is when.
struct KeptTable {
  const char* span;
  const char* old;
  const char* drop;
};

const KeptTable& TableOf(RetentionRepository::Kind kind) {
#define FERRY_KEPT(table, time)                                            \
  {                                                                        \
    "SELECT COALESCE(max(number) - min(number) + 1, 0) FROM " table,       \
        "SELECT number, " time " FROM " table " ORDER BY number LIMIT ?1", \
        "DELETE FROM " table " WHERE number <= ?1"                         \
  }
  static const KeptTable reports = FERRY_KEPT("report", "received_ms");
  static const KeptTable refused = FERRY_KEPT("record_refused", "received_ms");
  static const KeptTable losses = FERRY_KEPT("record_loss", "noted_ms");
#undef FERRY_KEPT
  if (kind == RetentionRepository::Kind::kReports) return reports;
  return kind == RetentionRepository::Kind::kRefused ? refused : losses;
}

#define FERRY_OLDEST "FROM record WHERE stream = ?1 AND device = ?2 ORDER BY number LIMIT ?3"

class Retention : public RetentionRepository {
 public:
  explicit Retention(Connection& sql) : sql_(sql) {}

  Result<std::vector<StreamSize>> StreamSizes() override {
    std::vector<StreamSize> sizes;
    FERRY_TRY(sql_.Query(
        "SELECT stream, device, \"rows\", bytes, COALESCE((SELECT received_ms FROM record "
        "WHERE record.stream = record_size.stream AND record.device = record_size.device "
        "ORDER BY number LIMIT 1), 0) FROM record_size WHERE \"rows\" > 0",
        {}, [&](Row& row) {
          StreamSize& size = sizes.emplace_back();
          size.stream = row.NextText();
          size.device = row.NextText();
          size.rows = row.NextInt();
          size.bytes = row.NextInt();
          size.oldest_ms = row.NextInt();
          return OkStatus();
        }));
    return sizes;
  }

  Result<std::vector<StreamTotal>> LargestStreams(int64_t limit) override {
    std::vector<StreamTotal> totals;
    FERRY_TRY(sql_.Query(
        "SELECT stream, count(*), CAST(sum(\"rows\") AS BIGINT), CAST(sum(bytes) AS BIGINT) "
        "FROM record_size WHERE \"rows\" > 0 "
        "GROUP BY stream ORDER BY sum(bytes) DESC, stream LIMIT ?1",
        {limit}, [&](Row& row) {
          StreamTotal& total = totals.emplace_back();
          total.stream = row.NextText();
          total.devices = row.NextInt();
          total.rows = row.NextInt();
          total.bytes = row.NextInt();
          return OkStatus();
        }));
    return totals;
  }

  Result<DayUse> DropRecords(const std::string& stream, const std::string& device,
                             int64_t before_ms, int64_t bytes, int64_t limit) override {
    DayUse dropped;
    int64_t last = 0;
    bool more = true;
    FERRY_TRY(
        sql_.Query(sql_.Choose("SELECT number, received_ms, 256 + length(CAST(stream AS BLOB)) + "
                               "length(CAST(json AS BLOB)) " FERRY_OLDEST,
                               "SELECT number, received_ms, 256 + octet_length(stream) + "
                               "octet_length(json) " FERRY_OLDEST),
                   {stream, device, limit}, [&](Row& row) {
                     const int64_t number = row.NextInt();
                     const bool old = row.NextInt() < before_ms;
                     more = more && (old || dropped.bytes < bytes);
                     if (!more) return OkStatus();
                     dropped.bytes += row.NextInt();
                     ++dropped.rows;
                     last = number;
                     return OkStatus();
                   }));
    if (last == 0) return dropped;
    FERRY_TRY(sql_.Run("DELETE FROM record WHERE stream = ?1 AND device = ?2 AND number <= ?3",
                       {stream, device, last}));
    FERRY_TRY(sql_.Run("DELETE FROM record_size WHERE stream = ?1 AND device = ?2 AND \"rows\" = 0",
                       {stream, device}));
    return dropped;
  }

  Result<int64_t> Rows(Kind kind) override { return Number(TableOf(kind).span, {}); }

  Result<int64_t> Drop(Kind kind, int64_t before_ms, int64_t keep, int64_t limit) override {
    FERRY_ASSIGN_OR_RETURN(const int64_t rows, Rows(kind));
    int64_t last = 0, surplus = keep == 0 ? 0 : rows - keep;
    bool more = true;
    FERRY_TRY(sql_.Query(TableOf(kind).old, {limit}, [&](Row& row) {
      const int64_t number = row.NextInt();
      more = more && (row.NextInt() < before_ms || surplus > 0);
      if (!more) return OkStatus();
      --surplus;
      last = number;
      return OkStatus();
    }));
    if (last == 0) return int64_t{0};
    FERRY_TRY(sql_.Run(TableOf(kind).drop, {last}));
    return sql_.changes();
  }

  // The last line of a release stays: its number says which comes next.
  Result<int64_t> DropEvents(int64_t before_ms, int64_t limit) override {
    return Change(
        "DELETE FROM event WHERE (release, seq) IN (SELECT event.release, event.seq FROM event "
        "JOIN release ON release.id = event.release WHERE event.time_ms < ?1 AND release.state IN "
        "('rolled_back', 'stopped', 'failed_simulation', 'superseded') AND event.seq < "
        "(SELECT max(seq) FROM event AS later WHERE later.release = event.release) LIMIT ?2)",
        {before_ms, limit});
  }

  Result<int64_t> DropMarks(int64_t before_ms, int64_t now_ms, int64_t limit) override {
    FERRY_TRY(sql_.Run("UPDATE outbox_mark SET heard_ms = ?1 WHERE heard_ms = 0", {now_ms}));
    return Change(
        "DELETE FROM outbox_mark WHERE (device, outbox) IN (SELECT device, outbox FROM outbox_mark "
        "WHERE heard_ms < ?1 LIMIT ?2)",
        {before_ms, limit});
  }

  Result<int64_t> DropDays(int64_t before_day, int64_t limit) override {
    return Change(
        "DELETE FROM intake_day WHERE (day, device, stream) IN (SELECT day, device, stream "
        "FROM intake_day WHERE day < ?1 LIMIT ?2)",
        {before_day, limit});
  }

  Status NoteUnused(const std::string& sha256, int64_t now_ms) override {
    return sql_.Run("INSERT INTO unused_content VALUES (?1, ?2) ON CONFLICT (sha256) DO NOTHING",
                    {sha256, now_ms});
  }

  Result<int64_t> UnusedSince(const std::string& sha256) override {
    return Number("SELECT since_ms FROM unused_content WHERE sha256 = ?1", {sha256});
  }

  Status NoteUsed(const std::string& sha256) override {
    return sql_.Run("DELETE FROM unused_content WHERE sha256 = ?1", {sha256});
  }

 private:
  Result<int64_t> Number(const char* sql, std::initializer_list<Value> values) {
    int64_t number = 0;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      number = row.NextInt();
      return OkStatus();
    }));
    return number;
  }
  Result<int64_t> Change(const char* sql, std::initializer_list<Value> values) {
    FERRY_TRY(sql_.Run(sql, values));
    return sql_.changes();
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<RetentionRepository> MakeRetentionRepository(Connection& sql) {
  return std::make_unique<Retention>(sql);
}

}  // namespace ferry::server

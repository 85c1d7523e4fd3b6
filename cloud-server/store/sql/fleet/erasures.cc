#include <algorithm>

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_ERASURES                                                                         \
  "SELECT id, device, asked_by, asked_ms, device_number, device_ms, device_receipt, records, " \
  "refused, texts FROM erasure "

ErasureRow ReadErasure(Row& row) {
  ErasureRow out;
  out.id = row.NextInt();
  out.device = row.NextText();
  out.asked_by = row.NextText();
  out.asked_ms = row.NextInt();
  out.device_number = row.NextInt();
  out.device_ms = row.NextInt();
  out.device_receipt = row.NextText();
  out.records = row.NextInt();
  out.refused = row.NextInt();
  out.texts = row.NextInt();
  return out;
}

class Erasures : public ErasureRepository {
 public:
  explicit Erasures(Connection& sql) : sql_(sql) {}

  Result<int64_t> Ask(const ErasureRow& row) override {
    int64_t id = 0;
    FERRY_TRY(sql_.Query(
        "INSERT INTO erasure (device, asked_by, asked_ms, device_number, device_ms, "
        "device_receipt, records, refused, texts) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
        "RETURNING id",
        {row.device, row.asked_by, row.asked_ms, row.device_number, row.device_ms,
         row.device_receipt, row.records, row.refused, row.texts},
        [&](Row& made) {
          id = made.NextInt();
          return OkStatus();
        }));
    return id;
  }

  Status Put(const ErasureRow& row) override {
    return sql_.Run(
        "UPDATE erasure SET device_number = ?2, device_ms = ?3, device_receipt = ?4, "
        "records = ?5, refused = ?6, texts = ?7 WHERE id = ?1",
        {row.id, row.device_number, row.device_ms, row.device_receipt, row.records, row.refused,
         row.texts});
  }

  Result<ErasureRow> Get(int64_t id) override {
    FERRY_ASSIGN_OR_RETURN(auto found, One(FERRY_ERASURES "WHERE id = ?1", {id}));
    if (!found) return Status::Of(Code::kNotFound, "no erasure {}", id);
    return std::move(*found);
  }

  Result<std::optional<ErasureRow>> Pending(const std::string& device) override {
    return One(FERRY_ERASURES "WHERE device = ?1 AND device_ms = 0 ORDER BY id LIMIT 1", {device});
  }

  Result<std::optional<ErasureRow>> OfDevice(const std::string& device,
                                             int64_t device_number) override {
    return One(
        FERRY_ERASURES
        "WHERE device = ?1 AND asked_by = 'device' AND device_number = ?2 ORDER BY id DESC LIMIT 1",
        {device, device_number});
  }

  Result<std::vector<ErasureRow>> List(const std::string& device, size_t limit) override {
    std::vector<ErasureRow> rows;
    FERRY_TRY(sql_.Query(FERRY_ERASURES "WHERE device = ?1 ORDER BY id DESC LIMIT ?2",
                         {device, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
                           rows.push_back(ReadErasure(row));
                           return OkStatus();
                         }));
    return rows;
  }

  Result<ErasedHere> Remove(const std::string& device, size_t limit) override {
    ErasedHere here;
    const uint64_t most = limit;
    // What is deleted is overwritten, here and not in other transactions.
    FERRY_TRY(sql_.OverwriteDeleted(true));
    const Status removed = RemoveRows(device, most, &here);
    FERRY_TRY(sql_.OverwriteDeleted(false));
    FERRY_TRY(removed);
    return here;
  }

 private:
  Status RemoveRows(const std::string& device, uint64_t most, ErasedHere* here) {
    FERRY_TRY(
        sql_.Run("DELETE FROM record WHERE number IN (SELECT number FROM record "
                 "WHERE device = ?1 LIMIT ?2)",
                 {device, most}));
    here->records = sql_.changes();
    FERRY_TRY(
        sql_.Run("DELETE FROM record_refused WHERE number IN (SELECT number FROM "
                 "record_refused WHERE device = ?1 LIMIT ?2)",
                 {device, most}));
    here->refused = sql_.changes();
    FERRY_TRY(
        sql_.Run("UPDATE report SET error_text = '' WHERE number IN (SELECT number FROM report "
                 "WHERE device = ?1 AND error_text <> '' LIMIT ?2)",
                 {device, most}));
    here->texts = sql_.changes();
    return OkStatus();
  }

  Result<std::optional<ErasureRow>> One(const char* sql, std::initializer_list<Value> values) {
    std::optional<ErasureRow> found;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      found = ReadErasure(row);
      return OkStatus();
    }));
    return found;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<ErasureRepository> MakeErasureRepository(Connection& sql) {
  return std::make_unique<Erasures>(sql);
}

}  // namespace ferry::server

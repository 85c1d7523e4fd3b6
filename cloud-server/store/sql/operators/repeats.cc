#include "cloud-server/store/repeats.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

class Repeats : public RepeatRepository {
 public:
  explicit Repeats(Connection& sql) : sql_(sql) {}

  Result<std::optional<AnsweredRow>> Answered(const std::string& account,
                                              const std::string& key) override {
    std::optional<AnsweredRow> found;
    FERRY_TRY(
        sql_.Query("SELECT account, key, request_sha256, status, body, time_ms FROM answered "
                   "WHERE account = ?1 AND key = ?2",
                   {account, key}, [&](Row& row) {
                     found.emplace();
                     found->account = row.NextText();
                     found->key = row.NextText();
                     found->request_sha256 = row.NextText();
                     found->status = row.NextInt();
                     found->body = row.NextText();
                     found->time_ms = row.NextInt();
                     return OkStatus();
                   }));
    return found;
  }

  Status PutAnswered(const AnsweredRow& row) override {
    return sql_.Run(
        "INSERT INTO answered VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (account, key) DO UPDATE "
        "SET request_sha256 = ?3, status = ?4, body = ?5, time_ms = ?6",
        {row.account, row.key, row.request_sha256, row.status, row.body, row.time_ms});
  }

  Status DropAnswered(int64_t before_ms) override {
    return sql_.Run("DELETE FROM answered WHERE time_ms < ?1", {before_ms});
  }

  Result<BulkRow> Bulk(const std::string& id) override {
    std::optional<BulkRow> found;
    FERRY_TRY(sql_.Query("SELECT id, account, time_ms, action, tag, undone FROM bulk WHERE id = ?1",
                         {id}, [&](Row& row) {
                           found.emplace();
                           found->id = row.NextText();
                           found->account = row.NextText();
                           found->time_ms = row.NextInt();
                           found->action = row.NextText();
                           found->tag = row.NextText();
                           found->undone = row.NextBool();
                           return OkStatus();
                         }));
    if (!found) return Missing("bulk change", id);
    FERRY_TRY(sql_.Query("SELECT device FROM bulk_device WHERE bulk = ?1 ORDER BY device", {id},
                         [&](Row& row) {
                           found->devices.push_back(row.NextText());
                           return OkStatus();
                         }));
    return *std::move(found);
  }

  Status PutBulk(const BulkRow& row) override {
    FERRY_TRY(
        sql_.Run("INSERT INTO bulk VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (id) DO UPDATE SET "
                 "account = ?2, time_ms = ?3, action = ?4, tag = ?5, undone = ?6",
                 {row.id, row.account, row.time_ms, row.action, row.tag, row.undone}));
    for (const std::string& device : row.devices)
      FERRY_TRY(sql_.Run("INSERT INTO bulk_device VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                         {row.id, device}));
    return OkStatus();
  }

  Status DropBulk(int64_t before_ms) override {
    return sql_.Run("DELETE FROM bulk WHERE time_ms < ?1", {before_ms});
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<RepeatRepository> MakeRepeatRepository(Connection& sql) {
  return std::make_unique<Repeats>(sql);
}

}  // namespace ferry::server

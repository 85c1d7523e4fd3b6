#include "cloud-server/store/cluster/leases.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

class Leases : public LeaseRepository {
 public:
  explicit Leases(Connection& sql) : sql_(sql) {}

  Result<int64_t> NowMs() override {
    int64_t now_ms = 0;
    FERRY_TRY(sql_.Query(
        sql_.Choose("SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
                    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"),
        {}, [&](Row& row) {
          now_ms = row.NextInt();
          return OkStatus();
        }));
    return now_ms;
  }

  Result<std::optional<int64_t>> Take(const std::string& name, const std::string& holder,
                                      int64_t life_ms) override {
    FERRY_ASSIGN_OR_RETURN(const int64_t now_ms, NowMs());
    std::string by;
    int64_t number = 0, until_ms = 0;
    FERRY_TRY(sql_.Query("SELECT holder, number, until_ms FROM lease WHERE name = ?1", {name},
                         [&](Row& row) {
                           by = row.NextText();
                           number = row.NextInt();
                           until_ms = row.NextInt();
                           return OkStatus();
                         }));
    if (by != holder && until_ms > now_ms) return std::optional<int64_t>();
    if (by != holder) ++number;
    FERRY_TRY(
        sql_.Run("INSERT INTO lease (name, holder, number, until_ms) VALUES (?1, ?2, ?3, ?4) "
                 "ON CONFLICT (name) DO UPDATE SET holder = ?2, number = ?3, until_ms = ?4",
                 {name, holder, number, now_ms + life_ms}));
    return std::optional<int64_t>(number);
  }

  Status Check(const std::string& name, int64_t number) override {
    int64_t last = 0;
    FERRY_TRY(sql_.Query("SELECT number FROM lease WHERE name = ?1", {name}, [&](Row& row) {
      last = row.NextInt();
      return OkStatus();
    }));
    if (last == number) return OkStatus();
    return Status::Of(Code::kFailedPrecondition, "another node does {} now", name);
  }

  Result<std::vector<LeaseRow>> All() override {
    std::vector<LeaseRow> all;
    FERRY_TRY(sql_.Query("SELECT name, holder, number, until_ms FROM lease ORDER BY name", {},
                         [&](Row& row) {
                           LeaseRow& lease = all.emplace_back();
                           lease.name = row.NextText();
                           lease.holder = row.NextText();
                           lease.number = row.NextInt();
                           lease.until_ms = row.NextInt();
                           return OkStatus();
                         }));
    return all;
  }

  Status GiveBack(const std::string& name, const std::string& holder) override {
    return sql_.Run("UPDATE lease SET until_ms = 0 WHERE name = ?1 AND holder = ?2",
                    {name, holder});
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<LeaseRepository> MakeLeaseRepository(Connection& sql) {
  return std::make_unique<Leases>(sql);
}

}  // namespace ferry::server

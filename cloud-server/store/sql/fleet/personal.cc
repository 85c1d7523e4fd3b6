#include <algorithm>
#include <optional>

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_PERSONAL_COLUMNS                                                                \
  "device, package, name, sha256, length, entry_json, escrow_enc, escrow_sealed, escrow_id, " \
  "added_ms, added_by"

PersonalRow ReadPersonal(Row& row) {
  PersonalRow file;
  file.device = row.NextText();
  file.package = row.NextText();
  file.name = row.NextText();
  file.sha256 = row.NextText();
  file.length = row.NextUint();
  file.entry_json = row.NextText();
  file.escrow_enc = row.NextBytes();
  file.escrow_sealed = row.NextBytes();
  file.escrow_id = row.NextText();
  file.added_ms = row.NextInt();
  file.added_by = row.NextText();
  return file;
}

class Personal : public PersonalRepository {
 public:
  explicit Personal(Connection& sql) : sql_(sql) {}

  Result<PersonalRow> Get(const std::string& device, const std::string& package,
                          const std::string& name) override {
    FERRY_ASSIGN_OR_RETURN(std::vector<PersonalRow> rows,
                           Select("SELECT " FERRY_PERSONAL_COLUMNS
                                  " FROM personal_file WHERE device = ?1 AND package = ?2 AND "
                                  "name = ?3",
                                  {device, package, name}));
    if (!rows.empty()) return std::move(rows[0]);
    return Missing("personal file", fmt::format("{}/{} of device {}", package, name, device));
  }

  Status Put(const PersonalRow& row) override {
    const Status put = sql_.Run(
        "INSERT INTO personal_file (" FERRY_PERSONAL_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) "
        "ON CONFLICT (device, package, name) DO UPDATE SET sha256 = ?4, length = ?5, "
        "entry_json = ?6, escrow_enc = ?7, escrow_sealed = ?8, escrow_id = ?9, added_ms = ?10, "
        "added_by = ?11",
        {row.device, row.package, row.name, row.sha256, row.length, row.entry_json, row.escrow_enc,
         row.escrow_sealed, row.escrow_id, row.added_ms, row.added_by});
    return put.code() == Code::kNotFound ? Missing("device", row.device) : put;
  }

  Result<bool> Remove(const std::string& device, const std::string& package,
                      const std::string& name) override {
    FERRY_TRY(sql_.Run("DELETE FROM personal_file WHERE device = ?1 AND package = ?2 AND name = ?3",
                       {device, package, name}));
    return sql_.changes() == 1;
  }

  Result<std::vector<PersonalRow>> OfDevice(const std::string& device) override {
    return Select("SELECT " FERRY_PERSONAL_COLUMNS
                  " FROM personal_file WHERE device = ?1 ORDER BY package, name",
                  {device});
  }

  Result<std::vector<PersonalRow>> OfPackage(const std::string& package,
                                             const std::string& after_device,
                                             const std::string& after_name, size_t limit) override {
    return Select("SELECT " FERRY_PERSONAL_COLUMNS
                  " FROM personal_file WHERE package = ?1 AND (device, name) > (?2, ?3) "
                  "ORDER BY device, name LIMIT ?4",
                  {package, after_device, after_name, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<bool> HasContent(const std::string& sha256) override {
    bool has = false;
    FERRY_TRY(
        sql_.Query("SELECT 1 FROM personal_file WHERE sha256 = ?1 LIMIT 1", {sha256}, [&](Row&) {
          has = true;
          return OkStatus();
        }));
    return has;
  }

  Result<std::vector<PersonalRow>> NotWrappedTo(const std::string& escrow_id,
                                                size_t limit) override {
    return Select("SELECT " FERRY_PERSONAL_COLUMNS
                  " FROM personal_file WHERE escrow_id < ?1 OR escrow_id > ?1 LIMIT ?2",
                  {escrow_id, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<PersonalStateRow> State(const std::string& device) override {
    PersonalStateRow found;
    found.device = device;
    FERRY_TRY(sql_.Query(
        "SELECT change, version, signed_change, key_id, expires_ms, document FROM personal_state "
        "WHERE device = ?1",
        {device}, [&](Row& row) {
          found.change = row.NextInt();
          found.version = row.NextInt();
          found.signed_change = row.NextInt();
          found.key_id = row.NextText();
          found.expires_ms = row.NextInt();
          found.document = row.NextBytes();
          return OkStatus();
        }));
    return found;
  }

  Status PutState(const PersonalStateRow& row) override {
    return sql_.Run(
        "INSERT INTO personal_state (device, change, version, signed_change, key_id, expires_ms, "
        "document) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (device) DO UPDATE SET "
        "change = ?2, version = ?3, signed_change = ?4, key_id = ?5, expires_ms = ?6, "
        "document = ?7",
        {row.device, row.change, row.version, row.signed_change, row.key_id, row.expires_ms,
         row.document});
  }

  Result<int64_t> Change(const std::string& device) override {
    int64_t change = 0;
    FERRY_TRY(
        sql_.Query("SELECT change FROM personal_state WHERE device = ?1", {device}, [&](Row& row) {
          change = row.NextInt();
          return OkStatus();
        }));
    return change;
  }

 private:
  Result<std::vector<PersonalRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<PersonalRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      rows.push_back(ReadPersonal(row));
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<PersonalRepository> MakePersonalRepository(Connection& sql) {
  return std::make_unique<Personal>(sql);
}

}  // namespace ferry::server

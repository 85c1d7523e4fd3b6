#include "cloud-server/store/accounts.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_ACCOUNT_COLUMNS \
  "name, role, packages, device_groups, password, disabled, created_ms, row_version, totp, oidc"
#define FERRY_API_TOKEN_COLUMNS                                                              \
  "id, token_sha256, account, name, role, packages, device_groups, created_ms, expires_ms, " \
  "last_used_ms"
#define FERRY_APPROVAL_COLUMNS                                                           \
  "id, account, method, path, body, body_sha256, package, asked_ms, expires_ms, state, " \
  "decided_by, decided_ms, reason"

Result<AccountRow> ReadAccount(Row& row) {
  AccountRow account;
  account.name = row.NextText();
  account.role = row.NextText();
  FERRY_ASSIGN_OR_RETURN(account.packages, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(account.groups, ReadTexts(row.NextText()));
  account.password = row.NextText();
  account.disabled = row.NextBool();
  account.created_ms = row.NextInt();
  account.row_version = row.NextInt();
  account.totp = row.NextText();
  account.oidc = row.NextText();
  return account;
}

Result<ApiTokenRow> ReadApiToken(Row& row) {
  ApiTokenRow token;
  token.id = row.NextText();
  token.token_sha256 = row.NextText();
  token.account = row.NextText();
  token.name = row.NextText();
  token.role = row.NextText();
  FERRY_ASSIGN_OR_RETURN(token.packages, ReadTexts(row.NextText()));
  FERRY_ASSIGN_OR_RETURN(token.groups, ReadTexts(row.NextText()));
  token.created_ms = row.NextInt();
  token.expires_ms = row.NextInt();
  token.last_used_ms = row.NextInt();
  return token;
}

Result<ApprovalRow> ReadApproval(Row& row) {
  ApprovalRow approval;
  approval.id = row.NextText();
  approval.account = row.NextText();
  approval.method = row.NextText();
  approval.path = row.NextText();
  approval.body = row.NextText();
  approval.body_sha256 = row.NextText();
  approval.package = row.NextText();
  approval.asked_ms = row.NextInt();
  approval.expires_ms = row.NextInt();
  approval.state = row.NextText();
  approval.decided_by = row.NextText();
  approval.decided_ms = row.NextInt();
  approval.reason = row.NextText();
  return approval;
}

class Accounts : public AccountRepository {
 public:
  explicit Accounts(Connection& sql) : sql_(sql) {}

  Result<AccountRow> Get(const std::string& name) override {
    FERRY_ASSIGN_OR_RETURN(
        auto rows, Select(ReadAccount,
                          "SELECT " FERRY_ACCOUNT_COLUMNS " FROM account WHERE name = ?1", {name}));
    if (rows.empty()) return Missing("user", name);
    return std::move(rows[0]);
  }

  Result<std::vector<AccountRow>> All() override {
    return Select(ReadAccount, "SELECT " FERRY_ACCOUNT_COLUMNS " FROM account ORDER BY name", {});
  }

  Status Put(const AccountRow& row) override {
    const std::string packages = WriteTexts(row.packages), groups = WriteTexts(row.groups);
    FERRY_TRY(
        sql_.Run("INSERT INTO account (" FERRY_ACCOUNT_COLUMNS
                 ") SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?9, ?10 WHERE ?8 = 0 OR EXISTS "
                 "(SELECT 1 FROM account "
                 "WHERE name = ?1) ON CONFLICT (name) DO UPDATE SET role = ?2, packages = ?3, "
                 "device_groups = ?4, password = ?5, disabled = ?6, totp = ?9, oidc = ?10, "
                 "row_version = account.row_version + 1 "
                 "WHERE account.row_version = ?8",
                 {row.name, row.role, packages, groups, row.password, row.disabled, row.created_ms,
                  row.row_version, row.totp, row.oidc}));
    if (sql_.changes() == 0)
      return Status::Of(Code::kConflict, "user {} was changed meanwhile", row.name);
    return OkStatus();
  }

  Status Remove(const std::string& name) override {
    FERRY_TRY(EndSessions(name));
    return sql_.Run("DELETE FROM account WHERE name = ?1", {name});
  }

  Status EndSessions(const std::string& name) override {
    FERRY_TRY(sql_.Run("DELETE FROM session WHERE account = ?1", {name}));
    return sql_.Run("DELETE FROM api_token WHERE account = ?1", {name});
  }

  Result<ApiTokenRow> Token(const std::string& token_sha256) override {
    FERRY_ASSIGN_OR_RETURN(auto rows, Select(ReadApiToken,
                                             "SELECT " FERRY_API_TOKEN_COLUMNS
                                             " FROM api_token WHERE token_sha256 = ?1",
                                             {token_sha256}));
    if (rows.empty()) return Missing("API token with that", "secret");
    return std::move(rows[0]);
  }

  Result<std::vector<ApiTokenRow>> Tokens(const std::string& account) override {
    return Select(ReadApiToken,
                  "SELECT " FERRY_API_TOKEN_COLUMNS
                  " FROM api_token WHERE account = ?1 ORDER BY created_ms, id",
                  {account});
  }

  Status PutToken(const ApiTokenRow& row) override {
    const std::string packages = WriteTexts(row.packages), groups = WriteTexts(row.groups);
    return sql_.Run("INSERT INTO api_token (" FERRY_API_TOKEN_COLUMNS
                    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                    {row.id, row.token_sha256, row.account, row.name, row.role, packages, groups,
                     row.created_ms, row.expires_ms, row.last_used_ms});
  }

  Status TouchToken(const std::string& token_sha256, int64_t last_used_ms) override {
    return sql_.Run("UPDATE api_token SET last_used_ms = ?2 WHERE token_sha256 = ?1",
                    {token_sha256, last_used_ms});
  }

  Status RemoveToken(const std::string& account, const std::string& id) override {
    FERRY_TRY(sql_.Run("DELETE FROM api_token WHERE account = ?1 AND id = ?2", {account, id}));
    return sql_.changes() == 0 ? Missing("API token", id) : OkStatus();
  }

  Result<std::optional<std::vector<std::string>>> ReleaseGroups(
      const std::string& release) override {
    std::optional<std::vector<std::string>> groups;
    FERRY_TRY(sql_.Query("SELECT device_groups FROM release_groups WHERE release = ?1", {release},
                         [&](Row& row) -> Status {
                           FERRY_ASSIGN_OR_RETURN(groups, ReadTexts(row.NextText()));
                           return OkStatus();
                         }));
    return groups;
  }

  Status PutReleaseGroups(const std::string& release,
                          const std::vector<std::string>& groups) override {
    const std::string text = WriteTexts(groups);
    return sql_.Run("INSERT INTO release_groups (release, device_groups) VALUES (?1, ?2)",
                    {release, text});
  }

  Result<ApprovalRow> Approval(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(
        auto rows, Select(ReadApproval,
                          "SELECT " FERRY_APPROVAL_COLUMNS " FROM approval WHERE id = ?1", {id}));
    if (rows.empty()) return Missing("approval", id);
    return std::move(rows[0]);
  }

  Result<std::vector<ApprovalRow>> Approvals(size_t limit) override {
    return Select(ReadApproval,
                  "SELECT " FERRY_APPROVAL_COLUMNS " FROM approval ORDER BY number DESC LIMIT ?1",
                  {static_cast<int64_t>(limit)});
  }

  Status PutApproval(const ApprovalRow& row) override {
    return sql_.Run(
        "INSERT INTO approval (" FERRY_APPROVAL_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) "
        "ON CONFLICT (id) DO UPDATE SET state = ?10, decided_by = ?11, "
        "decided_ms = ?12, reason = ?13",
        {row.id, row.account, row.method, row.path, row.body, row.body_sha256, row.package,
         row.asked_ms, row.expires_ms, row.state, row.decided_by, row.decided_ms, row.reason});
  }

 private:
  template <typename T>
  Result<std::vector<T>> Select(Result<T> (*read)(Row&), const char* sql,
                                std::initializer_list<Value> values) {
    std::vector<T> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(T one, read(row));
      rows.push_back(std::move(one));
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<AccountRepository> MakeAccountRepository(Connection& sql) {
  return std::make_unique<Accounts>(sql);
}

}  // namespace ferry::server

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

#define FERRY_TOKEN_COLUMNS \
  "id, tenant, secret_sha256, created_ms, expires_ms, uses_left, uses, tags"

Result<JoinTokenRow> ReadToken(Row& row) {
  JoinTokenRow token;
  token.id = row.NextText();
  token.tenant = row.NextText();
  token.secret_sha256 = row.NextText();
  token.created_ms = row.NextInt();
  token.expires_ms = row.NextInt();
  token.uses_left = row.NextInt();
  token.uses = row.NextInt();
  FERRY_ASSIGN_OR_RETURN(token.tags, ReadTexts(row.NextText()));
  return token;
}

#define FERRY_SESSION_COLUMNS \
  "token_sha256, name, created_ms, expires_ms, last_used_ms, account, cookie, peer, agent"

SessionRow ReadSession(Row& row) {
  SessionRow session;
  session.token_sha256 = row.NextText();
  session.name = row.NextText();
  session.created_ms = row.NextInt();
  session.expires_ms = row.NextInt();
  session.last_used_ms = row.NextInt();
  session.account = row.NextText();
  session.cookie = row.NextBool();
  session.peer = row.NextText();
  session.agent = row.NextText();
  return session;
}

class Access : public AccessRepository {
 public:
  explicit Access(Connection& sql) : sql_(sql) {}

  Result<JoinTokenRow> JoinToken(const std::string& secret_sha256) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<JoinTokenRow> rows,
        Select("SELECT " FERRY_TOKEN_COLUMNS " FROM join_token WHERE secret_sha256 = ?1",
               {secret_sha256}));
    if (rows.empty()) return Missing("join token with that", "secret");
    return std::move(rows[0]);
  }

  Result<std::vector<JoinTokenRow>> JoinTokens() override {
    return Select("SELECT " FERRY_TOKEN_COLUMNS " FROM join_token ORDER BY created_ms, id", {});
  }

  Status PutJoinToken(const JoinTokenRow& row) override {
    const std::string tags = WriteTexts(row.tags);
    return sql_.Run("INSERT INTO join_token (" FERRY_TOKEN_COLUMNS
                    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO UPDATE SET "
                    "expires_ms = ?5, uses_left = ?6, uses = ?7",
                    {row.id, row.tenant, row.secret_sha256, row.created_ms, row.expires_ms,
                     row.uses_left, row.uses, tags});
  }

  Result<SessionRow> Session(const std::string& token_sha256) override {
    SessionRow session;
    FERRY_TRY(sql_.Query("SELECT " FERRY_SESSION_COLUMNS " FROM session WHERE token_sha256 = ?1",
                         {token_sha256}, [&](Row& row) {
                           session = ReadSession(row);
                           return OkStatus();
                         }));
    if (session.token_sha256.empty()) return Missing("session with that", "token");
    return session;
  }

  Result<std::vector<SessionRow>> Sessions() override {
    return SelectSessions(
        "SELECT " FERRY_SESSION_COLUMNS " FROM session ORDER BY created_ms, token_sha256", {});
  }

  Result<std::vector<SessionRow>> SessionsOf(const std::string& account) override {
    return SelectSessions("SELECT " FERRY_SESSION_COLUMNS
                          " FROM session WHERE account = ?1 ORDER BY created_ms, token_sha256",
                          {account});
  }

  Status PutSession(const SessionRow& row) override {
    return sql_.Run(
        "INSERT INTO session (" FERRY_SESSION_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (token_sha256) DO UPDATE "
        "SET expires_ms = ?4, last_used_ms = ?5",
        {row.token_sha256, row.name, row.created_ms, row.expires_ms, row.last_used_ms, row.account,
         row.cookie, row.peer, row.agent});
  }

  Status TouchSession(const std::string& token_sha256, int64_t last_used_ms) override {
    return sql_.Run("UPDATE session SET last_used_ms = ?2 WHERE token_sha256 = ?1",
                    {token_sha256, last_used_ms});
  }

  Status RemoveSession(const std::string& token_sha256) override {
    return sql_.Run("DELETE FROM session WHERE token_sha256 = ?1", {token_sha256});
  }

  Result<std::optional<std::string>> Setting(const std::string& key) override {
    std::optional<std::string> value;
    FERRY_TRY(sql_.Query("SELECT value FROM setting WHERE key = ?1", {key}, [&](Row& row) {
      value = row.NextText();
      return OkStatus();
    }));
    return value;
  }

  Status PutSetting(const std::string& key, const std::string& value) override {
    return sql_.Run(
        "INSERT INTO setting (key, value) VALUES (?1, ?2) "
        "ON CONFLICT (key) DO UPDATE SET value = ?2",
        {key, value});
  }

  Status RemoveSetting(const std::string& key) override {
    return sql_.Run("DELETE FROM setting WHERE key = ?1", {key});
  }

 private:
  Result<std::vector<JoinTokenRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<JoinTokenRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(JoinTokenRow token, ReadToken(row));
      rows.push_back(std::move(token));
      return OkStatus();
    }));
    return rows;
  }

  Result<std::vector<SessionRow>> SelectSessions(const char* sql,
                                                 std::initializer_list<Value> values) {
    std::vector<SessionRow> sessions;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      sessions.push_back(ReadSession(row));
      return OkStatus();
    }));
    return sessions;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<AccessRepository> MakeAccessRepository(Connection& sql) {
  return std::make_unique<Access>(sql);
}

}  // namespace ferry::server

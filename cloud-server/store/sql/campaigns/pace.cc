// How fast releases take devices, and who is tried again.
#include "cloud-server/store/sql/campaigns/pace.h"

#include "cloud-server/store/sql/release_rows.h"

namespace ferry::server {

Result<PaceRow> ReadPace(Connection& sql, const std::string& release) {
  PaceRow found;
  found.release = release;
  FERRY_TRY(
      sql.Query("SELECT per_minute, recent FROM pace WHERE release = ?1", {release}, [&](Row& row) {
        found.per_minute = row.NextInt();
        found.recent = row.NextText();
        return OkStatus();
      }));
  return found;
}

Status WritePace(Connection& sql, const PaceRow& row) {
  return sql.Run(
      "INSERT INTO pace (release, per_minute, recent) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (release) DO UPDATE SET per_minute = ?2, recent = ?3",
      {row.release, row.per_minute, row.recent});
}

Result<std::vector<MemberRow>> ReadRetryDue(Connection& sql, const std::string& release,
                                            int64_t attempt, int64_t before_ms, size_t limit) {
  std::vector<MemberRow> rows;
  FERRY_TRY(sql.Query("SELECT " FERRY_MEMBER_COLUMNS
                      " FROM member WHERE release = ?1 AND attempt = ?2 AND step_ms <= ?3 AND "
                      "outcome IN ('failed', 'device_cause') AND back = 0 AND done = 1 LIMIT ?4",
                      {release, attempt, before_ms, uint64_t{limit}}, [&](Row& row) -> Status {
                        FERRY_ASSIGN_OR_RETURN(MemberRow member, ReadMember(row));
                        rows.push_back(std::move(member));
                        return OkStatus();
                      }));
  return rows;
}

}  // namespace ferry::server

#include <algorithm>

#include "cloud-server/store/sql/batches/batches.h"
#include "cloud-server/store/sql/campaigns/pace.h"
#include "cloud-server/store/sql/release_rows.h"
#include "cloud-server/store/sql/repositories.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

#define FERRY_TALLIES                                                               \
  "SELECT stage, control, slice, pending, healthy, failed, overdue, device_cause, " \
  "told_back, returned, first_ms, closed, closed_failed FROM tally WHERE release = ?1"

class Releases : public ReleaseRepository {
 public:
  explicit Releases(Connection& sql) : sql_(sql) {}

  Result<ReleaseRow> Get(const std::string& id) override {
    FERRY_ASSIGN_OR_RETURN(
        std::vector<ReleaseRow> rows,
        Select("SELECT " FERRY_RELEASE_COLUMNS " FROM release WHERE id = ?1", {id}));
    if (rows.empty()) return Missing("release", id);
    return std::move(rows[0]);
  }

  Status Put(const ReleaseRow& row) override {
    FERRY_TRY(sql_.Run(
        "INSERT INTO release (" FERRY_RELEASE_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
        "?18 + 1, ?19) ON CONFLICT (id) DO UPDATE SET state = ?10, paused_from = ?11, stage = ?12, "
        "stage_since_ms = ?13, paused_ms = ?14, reason = ?15, row_version = release.row_version + "
        "1, "
        "stopped_slices = ?19 WHERE release.row_version = ?18",
        {row.id, row.tenant, row.package, row.version, row.release_counter, row.fallback_version,
         row.plan_json, row.settings_json, row.salt, NameOf(row.state), NameOf(row.paused_from),
         row.stage, row.stage_since_ms, row.paused_ms, row.reason, row.created_ms, row.number,
         row.row_version, WriteJson(Json(row.stopped_slices))}));
    if (sql_.changes() == 1) return OkStatus();
    return Status::Of(Code::kConflict, "release {} was changed in between", row.id);
  }

  Result<std::vector<ReleaseRow>> All() override {
    return Select("SELECT " FERRY_RELEASE_COLUMNS " FROM release ORDER BY number DESC", {});
  }

  Result<int64_t> NextNumber() override {
    return Number("SELECT COALESCE(max(number), 0) + 1 FROM release", {});
  }

  Result<std::vector<StageRow>> Stages(const std::string& release) override {
    std::vector<StageRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT \"index\", entered_ms, left_ms, planned, approved FROM stage WHERE release = ?1 "
        "ORDER BY \"index\"",
        {release}, [&](Row& row) {
          StageRow& stage = rows.emplace_back();
          stage.release = release;
          stage.index = row.NextInt();
          stage.entered_ms = row.NextInt();
          stage.left_ms = row.NextInt();
          stage.planned = row.NextInt();
          stage.approved = row.NextBool();
          return OkStatus();
        }));
    return rows;
  }

  Status PutStage(const StageRow& row) override {
    return sql_.Run(
        "INSERT INTO stage (release, \"index\", entered_ms, left_ms, planned, approved) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (release, \"index\") DO UPDATE SET "
        "entered_ms = ?3, left_ms = ?4, planned = ?5, approved = ?6",
        {row.release, row.index, row.entered_ms, row.left_ms, row.planned, row.approved});
  }

  Result<std::vector<ExclusiveRow>> Exclusive(const std::string& release) override {
    std::vector<ExclusiveRow> rows;
    FERRY_TRY(sql_.Query("SELECT path, device FROM exclusive WHERE release = ?1 ORDER BY path",
                         {release}, [&](Row& row) {
                           std::string path = row.NextText();
                           rows.push_back({release, std::move(path), row.NextText()});
                           return OkStatus();
                         }));
    return rows;
  }

  Status PutExclusive(const ExclusiveRow& row) override {
    return sql_.Run("INSERT INTO exclusive (release, path, device) VALUES (?1, ?2, ?3)",
                    {row.release, row.path, row.device});
  }

  Result<std::vector<MemberRow>> Members(const std::string& release) override {
    return SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                         " FROM member WHERE release = ?1 ORDER BY device",
                         {release});
  }

  Result<std::vector<MemberRow>> MembersOfDevice(const std::string& device) override {
    return SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                         " FROM member WHERE device = ?1 ORDER BY offered_ms DESC, release DESC",
                         {device});
  }

  Result<std::optional<MemberRow>> Member(const std::string& release,
                                          const std::string& device) override {
    FERRY_ASSIGN_OR_RETURN(std::vector<MemberRow> rows,
                           SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                                         " FROM member WHERE release = ?1 AND device = ?2",
                                         {release, device}));
    if (rows.empty()) return std::optional<MemberRow>();
    return std::optional<MemberRow>(std::move(rows[0]));
  }

  Status PutMember(const MemberRow& row) override {
    return sql_.Run(
        "INSERT INTO member (" FERRY_MEMBER_COLUMNS
        ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
        "?18, ?19, ?20, ?21, ?22, ?23, ?24) ON CONFLICT (release, device) DO UPDATE SET stage = "
        "?3, "
        "offered_ms = ?4, outcome = ?5, overdue = ?6, done = ?7, back = ?8, step = ?9, "
        "step_ms = ?10, error_code = ?11, error_text = ?12, bytes_pulled = ?16, was_delta = ?17, "
        "by_push = ?18, control = ?19, attempt = ?20, told = ?21, had_version = ?22, "
        "metrics = ?23, \"window\" = ?24",
        {row.release,
         row.device,
         row.stage,
         row.offered_ms,
         NameOf(row.outcome),
         row.overdue,
         row.done,
         row.back,
         row.step,
         row.step_ms,
         row.error_code,
         row.error_text,
         row.os,
         row.app_version,
         row.device_class,
         row.bytes_pulled,
         row.was_delta,
         row.by_push,
         row.control,
         row.attempt,
         row.told,
         row.had_version,
         WriteNumbers(row.metrics),
         static_cast<int64_t>(row.window)});
  }

  Status PutReported(const MemberRow& row) override {
    return sql_.Run(
        "UPDATE member SET outcome = ?3, overdue = ?4, done = ?5, step = ?6, step_ms = ?7, "
        "error_code = ?8, error_text = ?9, bytes_pulled = ?10, was_delta = ?11, by_push = ?12, "
        "metrics = ?13 WHERE release = ?1 AND device = ?2",
        {row.release, row.device, NameOf(row.outcome), row.overdue, row.done, row.step, row.step_ms,
         row.error_code, row.error_text, row.bytes_pulled, row.was_delta, row.by_push,
         WriteNumbers(row.metrics)});
  }

  Result<int64_t> CountMembers(const std::string& release) override {
    int64_t count = 0;
    FERRY_TRY(
        sql_.Query("SELECT COUNT(*) FROM member WHERE release = ?1", {release}, [&](Row& row) {
          count = row.NextInt();
          return OkStatus();
        }));
    return count;
  }

  Result<std::vector<MemberRow>> MembersPage(const std::string& release, const std::string& after,
                                             size_t limit) override {
    return SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                         " FROM member WHERE release = ?1 AND device > ?2 ORDER BY device LIMIT ?3",
                         {release, after, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<std::vector<SeenMember>> Undecided(const std::string& release, int64_t before_ms,
                                            int64_t after_ms, const std::string& after,
                                            size_t limit) override {
    std::vector<SeenMember> rows;
    FERRY_TRY(sql_.Query(
        "SELECT " FERRY_MEMBER_COLUMNS
        ", (SELECT last_seen_ms FROM device WHERE id = member.device) FROM member "
        "WHERE release = ?1 AND outcome = 'open' AND overdue = 0 AND step_ms > 0 "
        "AND step_ms <= ?2 AND (step_ms, device) > (?3, ?4) ORDER BY step_ms, device LIMIT ?5",
        {release, before_ms, after_ms, after, uint64_t{std::min(limit, kMaxPageRows)}},
        [&](Row& row) -> Status {
          SeenMember& seen = rows.emplace_back();
          FERRY_ASSIGN_OR_RETURN(seen.member, ReadMember(row));
          seen.last_seen_ms = row.NextInt();
          return OkStatus();
        }));
    return rows;
  }

  Result<int64_t> CountCannotStop(const std::string& release) override {
    return Number(
        "SELECT count(*) FROM member JOIN device ON device.id = member.device WHERE release = ?1 "
        "AND control = 0 AND back = 0 AND reads_desired = 0",
        {release});
  }

  Result<std::vector<MemberRow>> OpenWindows(const std::string& release, int64_t until_ms,
                                             size_t limit) override {
    return SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                         " FROM member WHERE release = ?1 AND \"window\" = 0 AND offered_ms <= ?2 "
                         "ORDER BY offered_ms, device LIMIT ?3",
                         {release, until_ms, uint64_t{std::min(limit, kMaxPageRows)}});
  }

  Result<int64_t> SilentSince(const std::string& release) override {
    return Number(
        "SELECT COALESCE(min(step_ms), 0) FROM member WHERE release = ?1 AND outcome = 'open' AND "
        "overdue = 0 AND step_ms > 0",
        {release});
  }

  Result<std::vector<std::string>> DevicesWithOutcome(const std::string& release, Outcome outcome,
                                                      size_t limit) override {
    std::vector<std::string> devices;
    FERRY_TRY(sql_.Query("SELECT device FROM member WHERE release = ?1 AND outcome = ?2 LIMIT ?3",
                         {release, NameOf(outcome), uint64_t{limit}}, [&](Row& row) {
                           devices.push_back(row.NextText());
                           return OkStatus();
                         }));
    return devices;
  }

  Result<bool> WaitsForReturn(const std::string& release, int64_t since_ms) override {
    FERRY_ASSIGN_OR_RETURN(
        const int64_t found,
        Number("SELECT count(*) FROM (SELECT 1 FROM member JOIN device ON device.id = "
               "member.device WHERE release = ?1 AND control = 0 AND (back = 0 OR done = 0) AND "
               "device.blocked = 0 AND device.last_seen_ms >= ?2 LIMIT 1) AS first",
               {release, since_ms}));
    return found > 0;
  }

  Result<int64_t> RetryFailed(const std::string& release, const std::string& device) override {
    FERRY_TRY(sql_.Run(
        "UPDATE member SET attempt = attempt + 1, outcome = 'open', overdue = 0, done = 0, "
        "step = '', step_ms = 0 WHERE release = ?1 AND outcome IN ('failed', 'device_cause') AND "
        "back = 0 AND (?2 = '' OR device = ?2)",
        {release, device}));
    return sql_.changes();
  }

  Result<std::vector<MemberRow>> RetryDue(const std::string& release, int64_t attempt,
                                          int64_t before_ms, size_t limit) override {
    return ReadRetryDue(sql_, release, attempt, before_ms, limit);
  }
  Result<PaceRow> Pace(const std::string& release) override { return ReadPace(sql_, release); }
  Status PutPace(const PaceRow& row) override { return WritePace(sql_, row); }

  Result<Tallies> TalliesOf(const std::string& release) override {
    return SelectTallies(FERRY_TALLIES, release);
  }

  Result<Tallies> TotalsOf(const std::string& release) override {
    return SelectTallies(FERRY_TALLIES " AND slice = 'all'", release);
  }

  Status AddTallies(const Tallies& increments) override {
    if (sql_.dialect() == Connection::Dialect::kPostgres)
      return AddTalliesByLists(sql_, increments);
    for (const auto& [key, counts] : increments)
      FERRY_TRY(sql_.Run(
          "INSERT INTO tally VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14) "
          "ON CONFLICT (release, stage, control, slice) DO UPDATE SET "
          "pending = tally.pending + ?5, healthy = tally.healthy + ?6, "
          "failed = tally.failed + ?7, overdue = tally.overdue + ?8, "
          "device_cause = tally.device_cause + ?9, told_back = tally.told_back + ?10, "
          "returned = tally.returned + ?11, closed = tally.closed + ?13, "
          "closed_failed = tally.closed_failed + ?14, "
          "first_ms = CASE WHEN tally.first_ms = 0 OR (?12 <> 0 AND ?12 < tally.first_ms) "
          "THEN ?12 ELSE tally.first_ms END",
          {key.release, key.stage, key.control, key.slice, counts.pending, counts.healthy,
           counts.failed, counts.overdue, counts.device_cause, counts.told_back, counts.returned,
           counts.first_ms, counts.closed, counts.closed_failed}));
    return OkStatus();
  }

  Status SetTallies(const std::string& release, const Tallies& tallies) override {
    FERRY_TRY(sql_.Run("DELETE FROM tally WHERE release = ?1", {release}));
    return AddTallies(tallies);
  }

  Result<Measured> MeasuredOf(const std::string& release) override {
    return ReadMeasured(sql_, release);
  }

  Status AddMetricTallies(const MetricTallies& increments) override {
    return WriteMetricTallies(sql_, increments);
  }

  Status SetMetricTallies(const std::string& release, const MetricTallies& tallies) override {
    FERRY_TRY(sql_.Run("DELETE FROM metric_tally WHERE release = ?1", {release}));
    return AddMetricTallies(tallies);
  }

  Status AddBaseline(const BaselineRow& row) override { return WriteBaseline(sql_, row); }

  Result<std::vector<MemberRow>> FirstControl(const std::string& release, int64_t stage,
                                              size_t limit) override {
    return SelectMembers("SELECT " FERRY_MEMBER_COLUMNS
                         " FROM member WHERE release = ?1 AND stage = ?2 AND control = 1 "
                         "ORDER BY offered_ms, device LIMIT ?3",
                         {release, stage, uint64_t{limit}});
  }

  Result<int64_t> Generation() override {
    return Number("SELECT value FROM generation WHERE id = 1", {});
  }

  Result<std::vector<EventRow>> Events(const std::string& release, int64_t after_seq,
                                       size_t limit) override {
    std::vector<EventRow> rows;
    FERRY_TRY(sql_.Query(
        "SELECT seq, time_ms, kind, text, numbers FROM event WHERE release = ?1 AND seq > ?2 "
        "ORDER BY seq LIMIT ?3",
        {release, after_seq, uint64_t{std::min(limit, kMaxPageRows)}}, [&](Row& row) {
          EventRow& event = rows.emplace_back();
          event.release = release;
          event.seq = row.NextInt();
          event.time_ms = row.NextInt();
          event.kind = row.NextText();
          event.text = row.NextText();
          event.numbers_json = row.NextText();
          return OkStatus();
        }));
    return rows;
  }

  Result<int64_t> LastEventSeq(const std::string& release) override {
    return Number("SELECT COALESCE(max(seq), 0) FROM event WHERE release = ?1", {release});
  }

  Status AddEvent(const EventRow& row) override {
    return sql_.Run(
        "INSERT INTO event (release, seq, time_ms, kind, text, numbers) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        {row.release, row.seq, row.time_ms, row.kind, row.text, row.numbers_json});
  }

 private:
  Result<Tallies> SelectTallies(const char* sql, const std::string& release) {
    Tallies tallies;
    FERRY_TRY(sql_.Query(sql, {release}, [&](Row& row) {
      TallyKey key;
      key.release = release;
      key.stage = row.NextInt();
      key.control = row.NextBool();
      key.slice = row.NextText();
      Counts& counts = tallies[key];
      for (int64_t* count : {&counts.pending, &counts.healthy, &counts.failed, &counts.overdue,
                             &counts.device_cause, &counts.told_back, &counts.returned,
                             &counts.first_ms, &counts.closed, &counts.closed_failed})
        *count = row.NextInt();
      return OkStatus();
    }));
    return tallies;
  }

  Result<std::vector<ReleaseRow>> Select(const char* sql, std::initializer_list<Value> values) {
    std::vector<ReleaseRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(ReleaseRow release, ReadRelease(row));
      rows.push_back(std::move(release));
      return OkStatus();
    }));
    return rows;
  }
  Result<std::vector<MemberRow>> SelectMembers(const char* sql,
                                               std::initializer_list<Value> values) {
    std::vector<MemberRow> rows;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) -> Status {
      FERRY_ASSIGN_OR_RETURN(MemberRow member, ReadMember(row));
      rows.push_back(std::move(member));
      return OkStatus();
    }));
    return rows;
  }
  Result<int64_t> Number(const char* sql, std::initializer_list<Value> values) {
    int64_t number = 0;
    FERRY_TRY(sql_.Query(sql, values, [&](Row& row) {
      number = row.NextInt();
      return OkStatus();
    }));
    return number;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<ReleaseRepository> MakeReleaseRepository(Connection& sql) {
  return std::make_unique<Releases>(sql);
}

}  // namespace ferry::server

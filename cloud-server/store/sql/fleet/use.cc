#include "cloud-server/store/use.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

TaskUse ReadUse(Row& row) {
  TaskUse use;
  use.events = row.NextInt();
  use.starts = row.NextInt();
  use.failures = row.NextInt();
  use.inferences = row.NextInt();
  return use;
}

class Uses : public UseRepository {
 public:
  explicit Uses(Connection& sql) : sql_(sql) {}

  Status Add(int64_t day, const std::string& device, const std::string& package,
             const std::string& version, const TaskUse& more) override {
    return sql_.Run(
        "INSERT INTO task_use (day, package, version, device, events, starts, failures, "
        "inferences) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT (day, package, version, device) DO UPDATE SET "
        "events = task_use.events + ?5, starts = task_use.starts + ?6, "
        "failures = task_use.failures + ?7, inferences = task_use.inferences + ?8",
        {day, package, version, device, more.events, more.starts, more.failures, more.inferences});
  }

  Result<std::vector<TaskDayRow>> SumTasks(int64_t day) override {
    return ReadTasks(
        "SELECT day, package, version, count(*), CAST(sum(events) AS BIGINT), "
        "CAST(sum(starts) AS BIGINT), CAST(sum(failures) AS BIGINT), "
        "CAST(sum(inferences) AS BIGINT) FROM task_use WHERE day = ?1 GROUP BY day, package, "
        "version "
        "ORDER BY package, version",
        day);
  }

  Result<std::vector<StreamDayRow>> SumStreams(int64_t day) override {
    return ReadStreams(
        "SELECT day, stream, count(*), CAST(sum(\"rows\") AS BIGINT), "
        "CAST(sum(bytes) AS BIGINT) FROM intake_day "
        "WHERE day = ?1 AND device <> '' AND stream <> '' GROUP BY day, stream ORDER BY stream",
        day);
  }

  Status PutDay(int64_t day, const std::vector<TaskDayRow>& tasks,
                const std::vector<StreamDayRow>& streams) override {
    FERRY_TRY(sql_.Run("DELETE FROM task_use WHERE day <= ?1", {day - kMaxOpenUseDays}));
    FERRY_TRY(
        sql_.Run("DELETE FROM task_day WHERE day = ?1 OR day <= ?2", {day, day - kMaxUseDays}));
    FERRY_TRY(
        sql_.Run("DELETE FROM stream_day WHERE day = ?1 OR day <= ?2", {day, day - kMaxUseDays}));
    for (const TaskDayRow& row : tasks)
      FERRY_TRY(sql_.Run(
          "INSERT INTO task_day (day, package, version, devices, events, starts, failures, "
          "inferences) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
          {day, row.package, row.version, row.devices, row.use.events, row.use.starts,
           row.use.failures, row.use.inferences}));
    for (const StreamDayRow& row : streams)
      FERRY_TRY(
          sql_.Run("INSERT INTO stream_day (day, stream, devices, \"rows\", bytes) "
                   "VALUES (?1, ?2, ?3, ?4, ?5)",
                   {day, row.stream, row.devices, row.rows, row.bytes}));
    return OkStatus();
  }

  Result<std::vector<TaskDayRow>> TaskDays(int64_t first) override {
    return ReadTasks(
        "SELECT day, package, version, devices, events, starts, failures, inferences "
        "FROM task_day WHERE day >= ?1 ORDER BY day, package, version",
        first);
  }

  Result<std::vector<StreamDayRow>> StreamDays(int64_t first) override {
    return ReadStreams(
        "SELECT day, stream, devices, \"rows\", bytes FROM stream_day WHERE day >= ?1 "
        "ORDER BY day, stream",
        first);
  }

 private:
  Result<std::vector<TaskDayRow>> ReadTasks(const char* sql, int64_t day) {
    std::vector<TaskDayRow> rows;
    FERRY_TRY(sql_.Query(sql, {day}, [&](Row& row) {
      TaskDayRow& out = rows.emplace_back();
      out.day = row.NextInt();
      out.package = row.NextText();
      out.version = row.NextText();
      out.devices = row.NextInt();
      out.use = ReadUse(row);
      return OkStatus();
    }));
    return rows;
  }

  Result<std::vector<StreamDayRow>> ReadStreams(const char* sql, int64_t day) {
    std::vector<StreamDayRow> rows;
    FERRY_TRY(sql_.Query(sql, {day}, [&](Row& row) {
      StreamDayRow& out = rows.emplace_back();
      out.day = row.NextInt();
      out.stream = row.NextText();
      out.devices = row.NextInt();
      out.rows = row.NextInt();
      out.bytes = row.NextInt();
      return OkStatus();
    }));
    return rows;
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<UseRepository> MakeUseRepository(Connection& sql) {
  return std::make_unique<Uses>(sql);
}

}  // namespace ferry::server

#include "cloud-server/store/series.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

class Series : public SeriesRepository {
 public:
  explicit Series(Connection& sql) : sql_(sql) {}

  Result<SeriesState> State(const std::string& release) override {
    SeriesState state;
    FERRY_TRY(sql_.Query("SELECT thinned, step_ms FROM release_series WHERE release = ?1",
                         {release}, [&](Row& row) {
                           state.thinned = row.NextInt();
                           state.step_ms = row.NextInt();
                           return OkStatus();
                         }));
    FERRY_TRY(sql_.Query("SELECT COALESCE(MAX(time_ms), 0) FROM release_point WHERE release = ?1",
                         {release}, [&](Row& row) {
                           state.last_ms = row.NextInt();
                           return OkStatus();
                         }));
    return state;
  }

  Result<std::vector<SeriesPoint>> Points(const std::string& release) override {
    std::vector<SeriesPoint> points;
    FERRY_TRY(sql_.Query(
        "SELECT release, time_ms, members, healthy, failed, back, evidence FROM release_point "
        "WHERE release = ?1 ORDER BY time_ms",
        {release}, [&](Row& row) {
          SeriesPoint point;
          point.release = row.NextText();
          point.time_ms = row.NextInt();
          point.members = row.NextInt();
          point.healthy = row.NextInt();
          point.failed = row.NextInt();
          point.back = row.NextInt();
          point.evidence = row.NextText();
          points.push_back(std::move(point));
          return OkStatus();
        }));
    return points;
  }

  Status Add(const SeriesPoint& point) override {
    FERRY_TRY(sql_.Run(
        "INSERT INTO release_point (release, time_ms, members, healthy, failed, back, evidence) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (release, time_ms) DO UPDATE SET "
        "members = ?3, healthy = ?4, failed = ?5, back = ?6, evidence = ?7",
        {point.release, point.time_ms, point.members, point.healthy, point.failed, point.back,
         point.evidence}));
    int64_t count = 0;
    FERRY_TRY(sql_.Query("SELECT COUNT(*) FROM release_point WHERE release = ?1", {point.release},
                         [&](Row& row) {
                           count = row.NextInt();
                           return OkStatus();
                         }));
    return count > kMaxSeriesPoints ? Thin(point.release) : OkStatus();
  }

 private:
  // The first and the newest stay.
  Status Thin(const std::string& release) {
    FERRY_TRY(sql_.Run(
        "DELETE FROM release_point WHERE release = ?1 AND time_ms IN (SELECT time_ms FROM (SELECT "
        "time_ms, ROW_NUMBER() OVER (ORDER BY time_ms) AS place, COUNT(*) OVER () AS count FROM "
        "release_point WHERE release = ?1) AS placed WHERE place % 2 = 0 AND place < count)",
        {release}));
    return sql_.Run(
        "INSERT INTO release_series (release, thinned, step_ms) VALUES (?1, 1, 2 * ?2) "
        "ON CONFLICT (release) DO UPDATE SET thinned = release_series.thinned + 1, "
        "step_ms = 2 * release_series.step_ms",
        {release, kSeriesStepMs});
  }

  Connection& sql_;
};

}  // namespace

std::unique_ptr<SeriesRepository> MakeSeriesRepository(Connection& sql) {
  return std::make_unique<Series>(sql);
}

}  // namespace ferry::server

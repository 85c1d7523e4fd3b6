#include "cloud-server/store/fleet.h"

#include "cloud-server/store/sql/repositories.h"

namespace ferry::server {
namespace {

static_assert(kMaxFleetChanges == 262144, "m0023_fleet cuts there");

class FleetChanges : public FleetRepository {
 public:
  explicit FleetChanges(Connection& sql) : sql_(sql) {}

  Result<FleetChangeRange> Changes() override {
    FleetChangeRange range;
    FERRY_TRY(sql_.Query(
        sql_.Choose(
            "SELECT (SELECT coalesce(min(seq), 0) FROM fleet_change), "
            "(SELECT coalesce(max(seq), 0) FROM fleet_change)",
            "SELECT (SELECT coalesce(min(seq), 0) FROM fleet_change), "
            "(SELECT coalesce(max(seq), 0) FROM fleet_change WHERE seq < ferry_settled(20))"),
        {}, [&](Row& row) {
          range.first = row.NextInt();
          range.last = row.NextInt();
          return OkStatus();
        }));
    return range;
  }

  Result<std::vector<FleetChange>> Since(int64_t seq, size_t limit) override {
    std::vector<FleetChange> changes;
    FERRY_TRY(sql_.Query(
        sql_.Choose(
            "SELECT seq, device, heard FROM fleet_change WHERE seq > ?1 ORDER BY seq LIMIT ?2",
            "SELECT seq, device, heard FROM fleet_change WHERE seq > ?1 AND seq < "
            "ferry_settled(20) ORDER BY seq LIMIT ?2"),
        {seq, static_cast<int64_t>(limit)}, [&](Row& row) {
          FleetChange& change = changes.emplace_back();
          change.seq = row.NextInt();
          change.device = row.NextText();
          change.heard = row.NextBool();
          return OkStatus();
        }));
    return changes;
  }

  Result<Heard> HeardOf(const std::string& device) override {
    std::optional<Heard> heard;
    FERRY_TRY(sql_.Query("SELECT last_seen_ms, root_version FROM device WHERE id = ?1", {device},
                         [&](Row& row) {
                           heard.emplace();
                           heard->last_seen_ms = row.NextInt();
                           heard->root_version = row.NextInt();
                           return OkStatus();
                         }));
    if (!heard) return Missing("device", device);
    return *heard;
  }

  Status EachInstalled(const std::string& device,
                       const std::function<void(InstalledRow&&)>& each) override {
    const auto read = [&](Row& row) {
      InstalledRow out;
      out.device = row.NextText();
      out.package = row.NextText();
      out.version = row.NextText();
      each(std::move(out));
      return OkStatus();
    };
    if (device.empty())
      return sql_.Query("SELECT device, package, version FROM installed ORDER BY device, package",
                        {}, read);
    return sql_.Query(
        "SELECT device, package, version FROM installed WHERE device = ?1 ORDER BY package",
        {device}, read);
  }

  Status EachOffered(const std::string& device,
                     const std::function<void(OfferedVersion&&)>& each) override {
    const auto read = [&](Row& row) -> Status {
      OfferedVersion out;
      out.device = row.NextText();
      out.package = row.NextText();
      out.version = row.NextText();
      out.fallback_version = row.NextText();
      FERRY_ASSIGN_OR_RETURN(out.outcome, OutcomeFromName(row.NextText()));
      out.step = row.NextText();
      out.back = row.NextBool();
      out.done = row.NextBool();
      each(std::move(out));
      return OkStatus();
    };
#define FERRY_OFFERED                                                                  \
  "SELECT member.device, release.package, release.version, release.fallback_version, " \
  "member.outcome, member.step, member.back, member.done FROM member "                 \
  "JOIN release ON release.id = member.release "
    if (device.empty())
      return sql_.Query(FERRY_OFFERED "ORDER BY member.device, release.number DESC", {}, read);
    return sql_.Query(FERRY_OFFERED "WHERE member.device = ?1 ORDER BY release.number DESC",
                      {device}, read);
#undef FERRY_OFFERED
  }

  Status EachState(const std::string& device,
                   const std::function<void(DeviceStateRow&&)>& each) override {
    const auto read = [&](Row& row) {
      DeviceStateRow out;
      out.device = row.NextText();
      out.state = row.NextText();
      out.noted_ms = row.NextInt();
      each(std::move(out));
      return OkStatus();
    };
    if (device.empty())
      return sql_.Query("SELECT device, state, noted_ms FROM device_state ORDER BY device", {},
                        read);
    return sql_.Query("SELECT device, state, noted_ms FROM device_state WHERE device = ?1",
                      {device}, read);
  }

  Status PutDay(int64_t day, const std::vector<FleetDayRow>& rows) override {
    FERRY_TRY(
        sql_.Run("DELETE FROM fleet_day WHERE day = ?1 OR day <= ?1 - ?2", {day, kMaxFleetDays}));
    for (const FleetDayRow& row : rows)
      FERRY_TRY(
          sql_.Run("INSERT INTO fleet_day (day, package, version, devices) VALUES (?1, ?2, ?3, ?4)",
                   {day, row.package, row.version, row.devices}));
    return OkStatus();
  }

  Result<std::vector<FleetDayRow>> Days(int64_t first) override {
    std::vector<FleetDayRow> rows;
    FERRY_TRY(
        sql_.Query("SELECT day, package, version, devices FROM fleet_day WHERE day >= ?1 "
                   "ORDER BY day, package, version",
                   {first}, [&](Row& row) {
                     FleetDayRow one;
                     one.day = row.NextInt();
                     one.package = row.NextText();
                     one.version = row.NextText();
                     one.devices = row.NextInt();
                     rows.push_back(std::move(one));
                     return OkStatus();
                   }));
    return rows;
  }

 private:
  Connection& sql_;
};

}  // namespace

std::unique_ptr<FleetRepository> MakeFleetRepository(Connection& sql) {
  return std::make_unique<FleetChanges>(sql);
}

}  // namespace ferry::server

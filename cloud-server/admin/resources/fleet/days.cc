// What the fleet ran over days.
#include "cloud-server/fleet/days.h"

#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultDays = 30;

Result<Json> GetDays(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(int64_t days, call.QueryInt("days", kDefaultDays));
  if (days < 1 || days > kMaxFleetDays)
    return Status::Of(Code::kInvalidArgument, "days: {} is not from 1 to {}", days, kMaxFleetDays);
  const int64_t today = fleet::DayOf(call.admin.clock->NowUnixMs());
  std::vector<FleetDayRow> rows;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(rows, tx.fleet().Days(today - days + 1));
    return OkStatus();
  }));
  Json shown = Json::array();
  int64_t last = -1;
  for (const FleetDayRow& row : rows) {
    if (row.day != last)
      shown.push_back(
          {{"day", fleet::DayText(row.day)}, {"devices", 0}, {"packages", Json::object()}});
    last = row.day;
    if (row.package.empty())
      shown.back()["devices"] = row.devices;
    else
      shown.back()["packages"][row.package][row.version] = row.devices;
  }
  return Json{{"days", std::move(shown)}};
}

}  // namespace

void Add_days(Routes& routes) {
  routes.Add("GET", "/api/v1/fleet/days", GetDays);
}

}  // namespace ferry::server

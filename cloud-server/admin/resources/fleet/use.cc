// What tasks did and streams brought in, over days.
#include "cloud-server/store/use.h"

#include <set>

#include "cloud-server/admin/routes.h"
#include "cloud-server/fleet/days.h"

namespace ferry::server {
namespace {

constexpr int64_t kDefaultUseDays = 30;

// The object of a day; rows come in order of days.
Json& DayOfUse(Json& shown, int64_t day) {
  const std::string text = fleet::DayText(day);
  for (auto at = shown.rbegin(); at != shown.rend(); ++at)
    if ((*at)["day"] == text) return *at;
  shown.push_back({{"day", text}, {"tasks", Json::object()}, {"streams", Json::object()}});
  return shown.back();
}

Result<Json> GetUse(const Call& call) {
  FERRY_ASSIGN_OR_RETURN(const int64_t days, call.QueryInt("days", kDefaultUseDays));
  if (days < 1 || days > kMaxUseDays)
    return Status::Of(Code::kInvalidArgument, "days: {} is not from 1 to {}", days, kMaxUseDays);
  const int64_t first = fleet::DayOf(call.admin.clock->NowUnixMs()) - days + 1;
  std::vector<TaskDayRow> tasks;
  std::vector<StreamDayRow> streams;
  FERRY_TRY(call.admin.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(tasks, tx.use().TaskDays(first));
    FERRY_ASSIGN_OR_RETURN(streams, tx.use().StreamDays(first));
    return OkStatus();
  }));
  std::set<int64_t> known;
  for (const TaskDayRow& row : tasks) known.insert(row.day);
  for (const StreamDayRow& row : streams) known.insert(row.day);
  Json shown = Json::array();
  for (const int64_t day : known) DayOfUse(shown, day);
  for (const TaskDayRow& row : tasks)
    DayOfUse(shown, row.day)["tasks"][row.package][row.version] = {
        {"devices", row.devices},
        {"events", row.use.events},
        {"starts", row.use.starts},
        {"failures", row.use.failures},
        {"inferences", row.use.inferences}};
  for (const StreamDayRow& row : streams)
    DayOfUse(shown, row.day)["streams"][row.stream] = {
        {"devices", row.devices}, {"rows", row.rows}, {"bytes", row.bytes}};
  return Json{{"days", std::move(shown)}};
}

}  // namespace

void Add_use(Routes& routes) {
  routes.Add("GET", "/api/v1/fleet/use", GetUse);
}

}  // namespace ferry::server

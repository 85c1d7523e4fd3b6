#include "cloud-server/fleet/days.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "common/base/log.h"

namespace ferry::server::fleet {
namespace {

constexpr int64_t kMsOfDay = 86'400'000;

}  // namespace

int64_t DayOf(int64_t unix_ms) {
  return unix_ms / kMsOfDay;
}

std::string DayText(int64_t day) {
  const auto date = std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day)));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::vector<FleetDayRow> DayRows(const RunningCounts& counts, int64_t devices, int64_t day) {
  std::vector<FleetDayRow> rows;
  for (const auto& [version, count] : counts)
    rows.push_back({day, version.first, version.second, count});
  std::stable_sort(rows.begin(), rows.end(), [](const FleetDayRow& a, const FleetDayRow& b) {
    return a.devices > b.devices;
  });
  if (rows.size() > kMaxVersionsOfDay) rows.resize(kMaxVersionsOfDay);
  rows.insert(rows.begin(), {day, "", "", devices});
  return rows;
}

Days::Days(Fleet* fleet, Store* store, const sys::Clock* clock)
    : fleet_(fleet), store_(store), clock_(clock) {}

Days::~Days() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Days::Start() {
  thread_ = std::thread([this] { Run(); });
}

Status Days::Note() {
  const std::lock_guard lock(note_);
  const int64_t day = DayOf(clock_->NowUnixMs());
  FERRY_ASSIGN_OR_RETURN(const RunningCounts counts, fleet_->Running());
  int64_t devices = 0;
  FERRY_TRY(fleet_->Look([&](const Devices& all) {
    devices = static_cast<int64_t>(all.size());
    return OkStatus();
  }));
  FERRY_TRY(NoteUse(day - 1));
  FERRY_TRY(NoteUse(day));
  std::vector<FleetDayRow> rows = DayRows(counts, devices, day);
  if (rows == noted_) return OkStatus();
  FERRY_TRY(store_->Write([&](Transaction& tx) { return tx.fleet().PutDay(day, rows); }));
  noted_ = std::move(rows);
  return OkStatus();
}

// Adding up a million rows takes a second: readers do not keep writers waiting.
Status Days::NoteUse(int64_t day) {
  std::vector<TaskDayRow> tasks;
  std::vector<StreamDayRow> streams;
  FERRY_TRY(store_->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(tasks, tx.use().SumTasks(day));
    FERRY_ASSIGN_OR_RETURN(streams, tx.use().SumStreams(day));
    return OkStatus();
  }));
  if (tasks.empty() && streams.empty()) return OkStatus();
  return store_->Write([&](Transaction& tx) { return tx.use().PutDay(day, tasks, streams); });
}

void Days::Run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    if (const Status status = Note(); !status.ok())
      LogWarn("fleet", "what it runs was not noted: {}", status.ToString());
    lock.lock();
    wake_.wait_for(lock, std::chrono::milliseconds(kNoteEveryMs), [&] { return stopping_; });
  }
}

}  // namespace ferry::server::fleet

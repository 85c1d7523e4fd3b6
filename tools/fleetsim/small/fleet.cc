#include "tools/fleetsim/small/fleet.h"

#include <algorithm>
#include <charconv>

#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {
namespace {

constexpr int64_t kRowsAtOnce = 100'000;  // of one write while the fleet is made
constexpr int64_t kFirstBackoffMs = 5'000;
constexpr int64_t kMaxBackoffMs = 600'000;
constexpr int64_t kComeOnlineMs = 30 * kMinuteMs;  // devices come within this of their hour

constexpr const char* kStepNames[] = {
    "none",   "woken",       "pulled",      "verified", "installed", "probed",   "confirmed",
    "failed", "rolled_back", "task_failed", "healthy",  "measured",  "observing"};

// An odd factor: no two numbers give the same.
uint64_t MixedNumber(int64_t device) {
  return static_cast<uint64_t>(device) * 0x9e3779b97f4a7c15ULL;
}

}  // namespace

const char* NameOf(Step step) {
  return kStepNames[static_cast<size_t>(step)];
}

SmallFleet::SmallFleet(Sim& sim) : sim_(sim), executor_(sim.world().MakeExecutor()) {
  const Scenario& scenario = sim.scenario();
  const int64_t count = std::max<int64_t>(0, scenario.devices - scenario.agents);
  devices_.resize(static_cast<size_t>(count));
  double sum = 0;
  for (const Profile& profile : scenario.profiles) sum += profile.share;
  double before = 0;
  for (const Profile& profile : scenario.profiles) {
    profile_from_.push_back(static_cast<int64_t>(before / sum * static_cast<double>(count)));
    before += profile.share;
  }
  for (size_t i = 0; i < profile_from_.size(); ++i) {
    const int64_t end = i + 1 < profile_from_.size() ? profile_from_[i + 1] : count;
    for (int64_t d = profile_from_[i]; d < end; ++d) (*this)[d].profile = static_cast<uint16_t>(i);
  }
}

const Profile& SmallFleet::ProfileOf(int64_t device) const {
  return sim_.scenario().profiles[devices_[static_cast<size_t>(device)].profile];
}

std::string SmallFleet::IdOf(int64_t device) const {
  return fmt::format("{:016x}{:016x}", MixedNumber(device), static_cast<uint64_t>(device));
}

int64_t SmallFleet::NumberOf(const std::string& id) const {
  uint64_t number = 0;
  if (id.size() != 32) return -1;
  const auto [end, error] = std::from_chars(id.data() + 16, id.data() + 32, number, 16);
  if (error != std::errc() || number >= devices_.size()) return -1;
  const auto device = static_cast<int64_t>(number);
  return IdOf(device) == id ? device : -1;
}

Status SmallFleet::Enrol() {
  const uint8_t runs = sim_.VersionCalled(sim_.scenario().runs);
  const int64_t now_ms = sim_.world().clock().NowUnixMs();
  // In the order of their ids: one row stands beside the next then.
  std::vector<std::pair<uint64_t, int64_t>> order;
  for (int64_t d = 0; d < size(); ++d) order.emplace_back(MixedNumber(d), d);
  std::sort(order.begin(), order.end());
  for (int64_t first = 0; first < size(); first += kRowsAtOnce) {
    FERRY_TRY(sim_.backend().store->Write([&](server::Transaction& tx) -> Status {
      for (int64_t i = first; i < std::min(first + kRowsAtOnce, size()); ++i) {
        const int64_t d = order[static_cast<size_t>(i)].second;
        const Profile& profile = ProfileOf(d);
        server::DeviceRow row;
        row.id = IdOf(d);
        row.os = profile.os;
        row.app_version = profile.app_version;
        row.device_class = profile.device_class;
        row.tags = profile.tags;
        row.utc_offset_minutes = profile.utc_offset_minutes;
        row.reads_desired = row.observes = true;
        row.identity_public = ToBytes(crypto::Sha256(AsBytes("identity " + row.id)));
        row.seal_public = ToBytes(crypto::Sha256(AsBytes("seal " + row.id)));
        row.enrolled_ms = row.last_seen_ms = now_ms;
        FERRY_TRY(tx.devices().Put(row));
        if (runs == kNoVersion) continue;
        FERRY_TRY(tx.devices().PutInstalled({row.id, kPackage, sim_.scenario().runs, "", false}));
      }
      return OkStatus();
    }));
  }
  for (int64_t d = 0; d < size(); ++d) {
    Small& small = (*this)[d];
    small.running = small.highest = runs;
    if (runs != kNoVersion) sim_.door().NoteTold(d, runs);
    // They are anywhere between two polls.
    const auto phase = static_cast<int64_t>(sim_.random().Below(
        static_cast<uint64_t>(std::max<int64_t>(1, ProfileOf(d).poll_minutes * kMinuteMs))));
    small.poll_ms = OnlineAt(d, phase);
    Schedule(d);
  }
  return OkStatus();
}

bool SmallFleet::IsOnline(int64_t device) const {
  return OnlineAt(device, sim_.now_ms()) == sim_.now_ms();
}

int64_t SmallFleet::OnlineAt(int64_t device, int64_t virtual_ms) const {
  const Profile& profile = ProfileOf(device);
  const int64_t from = profile.online_from % 24, to = profile.online_to % 24;
  if (from == to) return virtual_ms;
  // Virtual time starts at midnight UTC.
  const int64_t local = virtual_ms + profile.utc_offset_minutes * kMinuteMs + kDayMs;
  const int64_t of_day = local % kDayMs;
  const int64_t begin = from * kHourMs, end = to * kHourMs;
  const bool inside =
      begin < end ? of_day >= begin && of_day < end : of_day >= begin || of_day < end;
  if (inside) return virtual_ms;
  const int64_t wait = (begin - of_day + kDayMs) % kDayMs;
  const auto late = static_cast<int64_t>(sim_.Draw(device, "online", virtual_ms / kDayMs) *
                                         static_cast<double>(kComeOnlineMs));
  return virtual_ms + wait + late;
}

int64_t SmallFleet::NextPoll(int64_t device) {
  const int64_t usual_ms = ProfileOf(device).poll_minutes * kMinuteMs;
  const auto wait =
      usual_ms / 2 + static_cast<int64_t>(sim_.random().Below(static_cast<uint64_t>(usual_ms) + 1));
  return OnlineAt(device, sim_.now_ms() + wait);
}

void SmallFleet::Retry(int64_t device) {
  Small& small = (*this)[device];
  const int64_t most = std::min(kFirstBackoffMs << std::min<int>(small.tries, 8), kMaxBackoffMs);
  small.tries = static_cast<uint8_t>(std::min(small.tries + 1, 200));
  const auto wait = 1'000 + static_cast<int64_t>(sim_.random().Below(static_cast<uint64_t>(most)));
  small.poll_ms = OnlineAt(device, sim_.now_ms() + wait);
}

void SmallFleet::Schedule(int64_t device) {
  Small& small = (*this)[device];
  const int64_t next = std::min({small.poll_ms, small.work_ms, small.run_ms});
  if (next == small.next_ms) return;
  small.next_ms = next;
  if (next == INT64_MAX) return;
  due_.emplace(next, static_cast<uint32_t>(device));
  if (next < timer_ms_) SetTimer();
}

void SmallFleet::SetTimer() {
  executor_->Cancel(timer_);
  timer_ms_ = due_.empty() ? INT64_MAX : due_.top().first;
  if (due_.empty()) return;
  timer_ =
      executor_->PostAfter(std::max<int64_t>(0, timer_ms_ - sim_.now_ms()), [this] { RunDue(); });
}

void SmallFleet::RunDue() {
  timer_ms_ = INT64_MIN;  // nobody sets it meanwhile
  while (!due_.empty() && due_.top().first <= sim_.now_ms() && !sim_.stopped()) {
    const Due next = due_.top();
    due_.pop();
    Small& small = (*this)[next.second];
    if (small.next_ms != next.first) continue;  // another time counts now
    small.next_ms = INT64_MAX;
    RunOne(next.second);
    Schedule(next.second);
  }
  SetTimer();
}

void SmallFleet::RunOne(int64_t device) {
  Small& small = (*this)[device];
  const int64_t now_ms = sim_.now_ms();
  if (small.run_ms <= now_ms) {
    small.run_ms = INT64_MAX;
    small.told_healthy || small.told_failed ? OnMeasure(device) : OnRun(device);
  }
  if (small.work_ms <= now_ms) {
    small.work_ms = INT64_MAX;
    const Work work = std::exchange(small.work, Work::kNone);
    if (work == Work::kAnswer) OnAnswer(device);
    if (work == Work::kPull) OnPulled(device);
  }
  if (small.poll_ms <= now_ms) {
    small.poll_ms = INT64_MAX;
    Contact(device);
  }
}

bool SmallFleet::IsListening(int64_t device) const {
  const Small& small = devices_[static_cast<size_t>(device)];
  return ProfileOf(device).push && !small.silent && !small.line_broken && !sim_.IsCutOff(device) &&
         IsOnline(device);
}

bool SmallFleet::Wake(const std::string& id) {
  const int64_t device = NumberOf(id);
  if (device < 0) return false;
  Small& small = (*this)[device];
  const Profile& profile = ProfileOf(device);
  if (!IsListening(device)) return true;  // a wake-up that is lost costs time, and nothing else
  small.woken = true;
  const auto soon = profile.latency_ms + static_cast<int64_t>(sim_.random().Below(50));
  small.poll_ms = std::min(small.poll_ms, sim_.now_ms() + soon);
  Schedule(device);
  return true;
}

void SmallFleet::AddListening(std::set<std::string>* devices) const {
  for (size_t i = 0; i < profile_from_.size(); ++i) {
    if (!sim_.scenario().profiles[i].push) continue;
    const int64_t end = i + 1 < profile_from_.size() ? profile_from_[i + 1] : size();
    for (int64_t d = profile_from_[i]; d < end; ++d) {
      if (IsListening(d)) devices->insert(devices->end(), IdOf(d));
    }
  }
}

void SmallFleet::SetClock(int64_t device, int64_t by_ms) {
  (*this)[device].clock_ms += by_ms;
}

void SmallFleet::FillDisk(int64_t device, int64_t for_ms) {
  (*this)[device].disk_full_until_ms = sim_.now_ms() + for_ms;
}

void SmallFleet::BreakLines() {
  for (int64_t d = 0; d < size(); ++d) {
    Small& small = (*this)[d];
    if (std::exchange(small.line_broken, true) || small.silent) continue;
    // Who listens, and who waits for an answer, comes again.
    if (!ProfileOf(d).push && small.waiting == 0) continue;
    const int64_t poll_ms = small.poll_ms;
    Retry(d);
    small.poll_ms = std::min(small.poll_ms, poll_ms);
    Schedule(d);
  }
}

void SmallFleet::AskAll(int64_t within_ms) {
  for (int64_t d = 0; d < size(); ++d) {
    Small& small = (*this)[d];
    small.clock_ms = 0;
    small.tries = 0;
    const auto soon = static_cast<int64_t>(sim_.random().Below(static_cast<uint64_t>(within_ms)));
    small.poll_ms = std::min(small.poll_ms, OnlineAt(d, sim_.now_ms() + soon));
    Schedule(d);
  }
}

}  // namespace ferry::fleetsim

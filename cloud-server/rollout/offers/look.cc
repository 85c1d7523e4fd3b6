// Who hears of a change of a release: a device is looked at when it asks, and those whose line is
// open are looked at some at a time.
#include <algorithm>

#include "cloud-server/core/metrics/metrics.h"
#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rollout.h"
#include "cloud-server/rollout/rows.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

bool IsInstalled(const DeviceView& view, const std::vector<InstalledRow>& have) {
  std::map<std::string, InstalledRow> said;
  for (const InstalledRow& row : have) said[row.package] = row;
  return said == view.installed;
}

// What a device says it has, where that is not what is stored.
Status PutAllInstalled(Transaction& tx, const std::string& device,
                       const std::vector<InstalledRow>& have) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<InstalledRow> stored, tx.devices().Installed(device));
  std::map<std::string, InstalledRow> now;
  for (const InstalledRow& row : have) now[row.package] = row;
  for (const InstalledRow& row : stored)
    if (!now.contains(row.package)) now[row.package] = {device, row.package, "", "", false};
  for (const auto& [name, row] : now)
    if (std::find(stored.begin(), stored.end(), row) == stored.end())
      FERRY_TRY(tx.devices().PutInstalled(row));
  return OkStatus();
}

}  // namespace

Result<Rollout::Known> Rollout::CatalogueOf(Transaction& tx, bool keep) {
  FERRY_ASSIGN_OR_RETURN(const int64_t generation, tx.releases().Generation());
  {
    std::lock_guard lock(mutex_);
    if (catalogue_ != nullptr && generation_ == generation) return Known{catalogue_, generation};
  }
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const Catalogue> fresh,
                         LoadCatalogue(tx, options_.tenant));
  if (!keep) return Known{fresh, generation};
  std::lock_guard lock(mutex_);
  if (generation > generation_) {
    catalogue_ = fresh;
    generation_ = generation;
  }
  return Known{fresh, generation};
}

Result<Rollout::Known> Rollout::Latest() {
  Known known;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(known, CatalogueOf(tx, true));
    return OkStatus();
  }));
  return known;
}

Result<Rollout::Told> Rollout::LookAtDevice(const std::string& device,
                                            const std::vector<InstalledRow>* have) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  Told told;
  bool has_other = false, differs = false;
  FERRY_TRY(options_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const Known known, CatalogueOf(tx, true));
    FERRY_ASSIGN_OR_RETURN(std::vector<DeviceView> views, LoadViews(tx, {device}));
    if (views.empty()) return AsStatus(tx.devices().Get(device));  // which says so
    DeviceView& view = views[0];
    FERRY_TRY(Paces(tx, *known.catalogue, now_ms).Offer(&view));
    has_other = have != nullptr && !IsInstalled(view, *have);
    if (has_other) return OkStatus();  // what it has decides what it is told
    Look look = LookAt(*known.catalogue, view, now_ms);
    NoteTurnedAway(device, look.turned_away);
    differs = look.assignment.has_value() || !look.members.empty();
    told = {std::move(view.assignment), std::move(look.unanswered), view.device.reads_desired,
            std::move(view.installed), known.generation};
    return OkStatus();
  }));
  if (!differs && !has_other) return told;
  Effects effects;
  FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    effects = Effects();
    if (has_other) FERRY_TRY(PutAllInstalled(tx, device, *have));
    FERRY_TRY(LooksIn(tx, {device}, &effects, &told));
    FERRY_ASSIGN_OR_RETURN(told.row, tx.devices().Assignment(device));
    return OkStatus();
  }));
  effects.wake.clear();  // it is asking
  AfterCommit(effects);
  return told;
}

Status Rollout::LooksIn(Transaction& tx, const std::vector<std::string>& devices, Effects* effects,
                        Told* told) {
  FERRY_ASSIGN_OR_RETURN(const Known known, CatalogueOf(tx, false));
  const int64_t now_ms = options_.clock->NowUnixMs();
  FERRY_ASSIGN_OR_RETURN(std::vector<DeviceView> views, LoadViews(tx, devices));
  Paces paces(tx, *known.catalogue, now_ms);
  Looks looks;
  for (DeviceView& view : views) {
    FERRY_TRY(paces.Offer(&view));
    Look look = LookAt(*known.catalogue, view, now_ms);
    NoteTurnedAway(view.device.id, look.turned_away);
    FERRY_TRY(paces.Take(look.taken));
    if (told != nullptr) {
      *told = {std::move(view.assignment), std::move(look.unanswered), view.device.reads_desired,
               std::move(view.installed), known.generation};
    }
    looks.Add(std::move(look));
  }
  FERRY_TRY(paces.Store());
  return StoreLooks(tx, looks, effects);
}

void Rollout::QueueLook(const std::string& device) {
  std::lock_guard lock(mutex_);
  if (queued_.insert(device).second) to_look_.push_back(device);
}

// On the ticker, for there may be a million of them, and who entered a stage waits for no list.
void Rollout::QueueListening() {
  const auto queue = [this] {
    for (const std::string& device : options_.bus->Listening()) QueueLook(device);
    PumpLooks();
  };
  if (options_.ticker == nullptr) return queue();
  options_.ticker->Post(queue);
}

// One piece at a time, so that devices that ask come in between.
void Rollout::PumpLooks() {
  {
    std::lock_guard lock(mutex_);
    if (pumping_ || stopping_) return;
    pumping_ = true;
  }
  const auto step = [this] {
    Result<bool> more = LookAtSome();
    if (!more.ok()) LogError("rollout", "looking at devices: {}", more.status().ToString());
    bool again = false;
    {
      std::lock_guard lock(mutex_);
      pumping_ = false;
      again = !to_look_.empty() && !stopping_;
    }
    if (again) PumpLooks();
  };
  if (options_.ticker == nullptr) return step();
  options_.ticker->Post(step);
}

Status Rollout::FindNews(const std::vector<std::string>& devices,
                         std::vector<std::string>* differ) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  return options_.store->Read([&](Transaction& tx) -> Status {
    differ->clear();
    FERRY_ASSIGN_OR_RETURN(const Known known, CatalogueOf(tx, true));
    FERRY_ASSIGN_OR_RETURN(std::vector<DeviceView> views, LoadViews(tx, devices));
    Paces paces(tx, *known.catalogue, now_ms);
    for (DeviceView& view : views) {
      FERRY_TRY(paces.Offer(&view));
      const Look look = LookAt(*known.catalogue, view, now_ms);
      NoteTurnedAway(view.device.id, look.turned_away);
      if (look.assignment || !look.members.empty()) differ->push_back(view.device.id);
    }
    return OkStatus();
  });
}

// Mostly nobody has news, which a read sees beside all writers. When a stage was entered most have,
// and who reads first looks twice: then all are looked at as they are written.
Result<bool> Rollout::LookAtSome() {
  std::vector<std::string> devices;
  bool news = false;
  {
    std::lock_guard lock(mutex_);
    news = looks_bring_news_;
    while (!to_look_.empty() && devices.size() < kMaxLooksAtOnce) {
      devices.push_back(std::move(to_look_.front()));
      to_look_.pop_front();
      queued_.erase(devices.back());
    }
  }
  if (devices.empty()) return false;
  std::vector<std::string> differ = devices;
  if (!news) FERRY_TRY(FindNews(devices, &differ));
  Effects effects;
  if (!differ.empty())
    FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
      effects = Effects();
      return LooksIn(tx, differ, &effects, nullptr);
    }));
  AfterCommit(effects);
  std::lock_guard lock(mutex_);
  looks_bring_news_ = 2 * effects.wake.size() > devices.size();
  return !to_look_.empty();
}

Result<ReleaseRow> Rollout::Retry(const std::string& release, const std::string& device,
                                  const std::string& by, const std::string& why) {
  const int64_t now_ms = options_.clock->NowUnixMs();
  Effects effects;
  ReleaseRow row;
  FERRY_TRY(options_.store->WriteInTurn([&](Transaction& tx) -> Status {
    effects = Effects();
    FERRY_ASSIGN_OR_RETURN(const int64_t devices, tx.releases().RetryFailed(release, device));
    FERRY_ASSIGN_OR_RETURN(const std::vector<MemberRow> members, tx.releases().Members(release));
    Tallies tallies;
    for (const MemberRow& member : members) CountMember(tallies, member, 1);
    FERRY_ASSIGN_OR_RETURN(const Tallies stored, tx.releases().TalliesOf(release));
    KeepFirst(stored, tallies);
    FERRY_TRY(tx.releases().SetTallies(release, tallies));
    FERRY_ASSIGN_OR_RETURN(ReleaseRows rows, LoadForCommand(tx, release));
    FERRY_ASSIGN_OR_RETURN(Changes changes, Apply(rows, command::Retry{by, why, devices}, now_ms));
    FERRY_TRY(StoreChanges(tx, rows, changes, now_ms, &effects));
    FERRY_ASSIGN_OR_RETURN(row, tx.releases().Get(release));
    return OkStatus();
  }));
  AfterCommit(effects);
  return row;
}

}  // namespace ferry::server

#include "cloud-server/fleet/fleet.h"

#include <algorithm>
#include <map>

#include "cloud-server/fleet/matcher.h"

namespace ferry::server::fleet {
namespace {

// What a device runs, as far as the answers to releases tell; its own word counts for more.
void AddOffered(const OfferedVersion& offered, Device* device) {
  if (device->running.contains(offered.package)) return;
  const bool went_back = offered.back && offered.done && offered.step != "failed";
  const bool has_it =
      !offered.back && (offered.outcome == Outcome::kHealthy ||
                        (offered.outcome == Outcome::kOpen && offered.step == "confirmed"));
  if (went_back) device->running[offered.package] = offered.fallback_version;
  if (has_it) device->running[offered.package] = offered.version;
}

using Found = std::function<Device*(const std::string& id)>;

// For one device or (empty) all.
Status AddBeside(Transaction& tx, const std::string& id, const Found& find) {
  FERRY_TRY(tx.fleet().EachOffered(id, [&](OfferedVersion&& offered) {
    if (Device* device = find(offered.device)) AddOffered(offered, device);
  }));
  FERRY_TRY(tx.fleet().EachInstalled(id, [&](InstalledRow&& row) {
    if (Device* device = find(row.device)) device->running[row.package] = std::move(row.version);
  }));
  return tx.fleet().EachState(id, [&](DeviceStateRow&& row) {
    Device* device = find(row.device);
    if (device == nullptr) return;
    device->state = std::move(row.state);
    device->state_ms = row.noted_ms;
  });
}

// Contents that are gone are kept up to these, so that devices which change cost little.
constexpr size_t kMaxCodesPerDevice = 2;
constexpr size_t kMinCodes = 1000;

bool IdBefore(const std::unique_ptr<Device>& device, std::string_view id) {
  return device->device_id < id;
}

}  // namespace

struct Fleet::Changed {
  int64_t seq = 0;
  bool everything = false;  // `devices` are all that there are
  std::vector<std::unique_ptr<Device>> devices;
  std::map<std::string, FleetRepository::Heard> heard;
  std::optional<std::shared_ptr<const target::Groups>> groups;
};

Status Fleet::ReadChanged(Transaction& tx, int64_t after, Changed* changed) {
  FERRY_ASSIGN_OR_RETURN(const FleetChangeRange range, tx.fleet().Changes());
  changed->seq = range.last;
  const bool known = after >= 0 && after <= range.last;
  const bool kept = range.last == after || range.first <= after + 1;
  std::vector<FleetChange> changes;
  if (known && kept) {
    FERRY_ASSIGN_OR_RETURN(changes,
                           tx.fleet().Since(after, static_cast<size_t>(kMaxFleetStep) + 1));
  }
  // Counted, for numbers of changes have gaps.
  if (!known || !kept || changes.size() > static_cast<size_t>(kMaxFleetStep)) {
    changed->everything = true;
    for (std::string last;;) {
      FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> rows,
                             tx.devices().List(last, kMaxPageRows));
      for (const DeviceRow& row : rows)
        changed->devices.push_back(std::make_unique<Device>(DeviceFrom(row)));
      if (!rows.empty() && !changed->groups) changed->groups = rows[0].fleet.all;
      if (rows.size() < kMaxPageRows) break;
      last = rows.back().id;
    }
    // Rows come by device, as the devices stand.
    size_t at = 0;
    std::string before;
    return AddBeside(tx, {}, [&](const std::string& id) -> Device* {
      if (id < before) at = 0;  // the next table
      before = id;
      const auto& all = changed->devices;
      while (at < all.size() && all[at]->device_id < id) ++at;
      return at < all.size() && all[at]->device_id == id ? all[at].get() : nullptr;
    });
  }
  std::map<std::string, bool> devices;  // whether it was only heard
  for (const FleetChange& change : changes) {
    const auto [found, fresh] = devices.emplace(change.device, change.heard);
    if (!fresh) found->second = found->second && change.heard;
  }
  for (const auto& [id, heard] : devices) {
    if (id.empty()) {
      FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> any, tx.devices().List({}, 1));
      if (!any.empty()) changed->groups = any[0].fleet.all;
    } else if (heard) {
      FERRY_ASSIGN_OR_RETURN(changed->heard[id], tx.fleet().HeardOf(id));
    } else {
      FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(id));
      auto device = std::make_unique<Device>(DeviceFrom(row));
      FERRY_TRY(AddBeside(tx, id, [&](const std::string&) { return device.get(); }));
      changed->devices.push_back(std::move(device));
    }
  }
  return OkStatus();
}

void Fleet::Take(Changed changed) {
  const std::unique_lock lock(mutex_);
  if (changed.everything) {
    devices_ = {};
    devices_.all.reserve(changed.devices.size());
    devices_.faces.reserve(changed.devices.size());
    codes_.Clear();
    alike_.clear();
  }
  if (changed.groups) groups_ = std::move(*changed.groups);
  for (auto& device : changed.devices) {
    // The devices of one view share them, or each would hold the rules of all groups.
    device->fleet_groups = groups_;
    Encode(device.get());
    auto& all = devices_.all;
    const auto at = std::lower_bound(all.begin(), all.end(), device->device_id, IdBefore);
    const auto face = devices_.faces.begin() + (at - all.begin());
    if (at != all.end() && (*at)->device_id == device->device_id) {
      --alike_[(*at)->codes[kPartRunning]].devices;
      *face = Face(*device);
      *at = std::move(device);
    } else {
      devices_.faces.insert(face, Face(*device));
      all.insert(at, std::move(device));
    }
  }
  for (const auto& [id, heard] : changed.heard) {
    const auto at = std::lower_bound(devices_.begin(), devices_.end(), id, IdBefore);
    if (at == devices_.end() || (*at)->device_id != id) continue;
    (*at)->last_seen_ms = heard.last_seen_ms;
    (*at)->root_version = heard.root_version;
  }
  if (changed.groups && !changed.everything)
    for (const auto& device : devices_) device->fleet_groups = groups_;
  if (codes_.size() > kMaxCodesPerDevice * devices_.size() + kMinCodes) EncodeAnew();
}

// Drops the contents that no device has any more.
void Fleet::EncodeAnew() {
  codes_.Clear();
  alike_.clear();
  devices_.faces.clear();
  for (const auto& device : devices_) {
    Encode(device.get());
    devices_.faces.emplace_back(*device);
  }
}

void Fleet::Encode(Device* device) {
  codes_.Encode(device);
  Alike& alike = alike_[device->codes[kPartRunning]];
  if (alike.devices++ == 0) alike.running = device->running;
}

Result<RunningCounts> Fleet::Running() {
  FERRY_TRY(Refresh());
  const std::shared_lock lock(mutex_);
  RunningCounts counts;
  for (const auto& [code, alike] : alike_) {
    if (alike.devices == 0) continue;
    for (const auto& running : alike.running) counts[running] += alike.devices;
  }
  return counts;
}

Status Fleet::Refresh() {
  const std::lock_guard lock(refresh_);
  Changed changed;
  FERRY_TRY(store_->Read([&](Transaction& tx) -> Status {
    changed = {};
    return ReadChanged(tx, seq_, &changed);
  }));
  if (changed.seq == seq_) return OkStatus();
  seq_ = changed.seq;
  Take(std::move(changed));
  loaded_ = true;
  return OkStatus();
}

Status Fleet::LookInStore(const std::string& after, size_t count,
                          const std::function<Status(const Devices&, int64_t all)>& look) {
  Devices devices;
  int64_t all = 0;
  FERRY_TRY(store_->Read([&](Transaction& tx) -> Status {
    devices = {};
    FERRY_ASSIGN_OR_RETURN(all, tx.devices().Count());
    for (std::string last = after; devices.size() < count;) {
      const size_t wanted = std::min(count - devices.size(), kMaxPageRows);
      FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> rows, tx.devices().List(last, wanted));
      for (const DeviceRow& row : rows) {
        auto device = std::make_unique<Device>(DeviceFrom(row));
        FERRY_TRY(AddBeside(tx, row.id, [&](const std::string&) { return device.get(); }));
        devices.faces.emplace_back(*device);
        devices.all.push_back(std::move(device));
      }
      if (rows.size() < wanted) break;
      last = rows.back().id;
    }
    return OkStatus();
  }));
  return look(devices, all);
}

Status Fleet::Look(const std::function<Status(const Devices&)>& look) {
  FERRY_TRY(Refresh());
  const std::shared_lock lock(mutex_);
  return look(devices_);
}

Status Fleet::LookAsItWas(const std::function<Status(const Devices&)>& look) {
  const std::shared_lock lock(mutex_);
  return look(devices_);
}

const list::Spec& DeviceSpec() {
  constexpr int64_t kDefaultDevices = 100;
  static const list::Spec* const spec =
      new list::Spec{&DeviceVocabulary(), "id", {}, kDefaultDevices};
  return *spec;
}

list::Page SelectDevices(const list::Query& query, const Devices& devices) {
  list::Rows rows;
  rows.count = devices.size();
  rows.row = [&](size_t i) -> const list::Row& { return *devices[i]; };
  rows.in_key_order = true;
  std::optional<Matcher> matcher;
  if (query.filter) matcher.emplace(*query.filter);
  if (matcher) rows.passes = [&](size_t i) { return matcher->Matches(devices, i); };
  const std::optional<Part> first = PartOfColumn(query.sort[0].column);
  if (first) rows.first_code = [&](size_t i) { return devices.faces[i].codes[*first]; };
  return list::Select(query, DeviceSpec(), rows);
}

const Device* FindDevice(const Devices& devices, std::string_view id) {
  const auto at = std::lower_bound(devices.begin(), devices.end(), id, IdBefore);
  return at != devices.end() && (*at)->device_id == id ? at->get() : nullptr;
}

}  // namespace ferry::server::fleet

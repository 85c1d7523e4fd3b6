// The whole fleet in memory, for lists that are searched and sorted. The truth is the store's: each
// look begins by reading which devices changed since the look before (store/fleet.h).
// ---- fleet.cc
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cloud-server/fleet/devices.h"
#include "cloud-server/fleet/parts.h"
#include "cloud-server/list/query.h"
#include "cloud-server/store/store.h"

namespace ferry::server::fleet {

// More changes than these at once, and all is read anew.
inline constexpr int64_t kMaxFleetStep = 20'000;

using RunningCounts = std::map<std::pair<std::string, std::string>, int64_t>;

// Any thread.
class Fleet {
 public:
  explicit Fleet(Store* store) : store_(store) {}
  // Calls `look` with the devices as they are in the store now; they stay as they are until it
  // returns. It may call the store. Errors are the store's, or those of `look`.
  Status Look(const std::function<Status(const Devices&)>& look);
  // Until the first look has read all, which takes seconds for a million.
  bool loaded() const { return loaded_; }
  // So many devices behind the id `after` as they are in the store, and how many there are: a page
  // for who does not wait for the first look.
  Status LookInStore(const std::string& after, size_t count,
                     const std::function<Status(const Devices&, int64_t all)>& look);
  // The same without asking the store: as the last look found them, none before the first.
  Status LookAsItWas(const std::function<Status(const Devices&)>& look);
  // How many devices run each version now, by package and version.
  Result<RunningCounts> Running();

 private:
  struct Changed;
  Status Refresh();
  Status ReadChanged(Transaction& tx, int64_t after, Changed* changed);
  void Take(Changed changed);
  void Encode(Device* device);
  void EncodeAnew();

  Store* const store_;
  std::mutex refresh_;  // before mutex_; one brings it up to date at a time
  int64_t seq_ = -1;    // the last change that is in; -1: nothing was read. Under refresh_.
  std::atomic<bool> loaded_ = false;
  std::shared_mutex mutex_;
  Devices devices_;
  PartCodes codes_;
  // Of devices that run the same, by their code: how many there are, and what that is.
  struct Alike {
    int64_t devices = 0;
    std::map<std::string, std::string> running;
  };
  std::unordered_map<uint32_t, Alike> alike_;
  std::shared_ptr<const target::Groups> groups_;
};

// How lists of devices are read.
const list::Spec& DeviceSpec();
list::Page SelectDevices(const list::Query& query, const Devices& devices);
// Null where there is none.
const Device* FindDevice(const Devices& devices, std::string_view id);

}  // namespace ferry::server::fleet

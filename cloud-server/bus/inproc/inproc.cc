#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cloud-server/bus/bus.h"

namespace ferry::server {
namespace {

// One subscriber. Its own lock is held while its handler runs, so that dropping it waits.
struct Entry {
  std::mutex mutex;
  Bus::OnWake handler;  // null once dropped
};

// Lock order: the registry's lock is never held while an entry's lock is taken.
struct Registry {
  std::mutex mutex;
  std::multimap<std::string, std::shared_ptr<Entry>> entries;
};

class Subscription : public BusSubscription {
 public:
  Subscription(std::shared_ptr<Registry> registry, std::string device_id,
               std::shared_ptr<Entry> entry)
      : registry_(std::move(registry)),
        device_id_(std::move(device_id)),
        entry_(std::move(entry)) {}
  ~Subscription() override {
    {
      std::lock_guard lock(registry_->mutex);
      auto [begin, end] = registry_->entries.equal_range(device_id_);
      for (auto at = begin; at != end; ++at) {
        if (at->second == entry_) {
          registry_->entries.erase(at);
          break;
        }
      }
    }
    std::lock_guard lock(entry_->mutex);
    entry_->handler = nullptr;
  }

 private:
  std::shared_ptr<Registry> registry_;
  std::string device_id_;
  std::shared_ptr<Entry> entry_;
};

class InprocBus : public Bus {
 public:
  void Publish(const std::string& device_id, uint64_t epoch) override {
    std::vector<std::shared_ptr<Entry>> woken;
    {
      std::lock_guard lock(registry_->mutex);
      auto [begin, end] = registry_->entries.equal_range(device_id);
      for (auto at = begin; at != end; ++at) woken.push_back(at->second);
    }
    for (const auto& entry : woken) {
      std::lock_guard lock(entry->mutex);
      if (entry->handler) entry->handler(device_id, epoch);
    }
  }

  std::unique_ptr<BusSubscription> Subscribe(const std::string& device_id,
                                             OnWake handler) override {
    auto entry = std::make_shared<Entry>();
    entry->handler = std::move(handler);
    {
      std::lock_guard lock(registry_->mutex);
      registry_->entries.emplace(device_id, entry);
    }
    return std::make_unique<Subscription>(registry_, device_id, std::move(entry));
  }

  std::set<std::string> Listening() const override {
    std::set<std::string> devices;
    std::lock_guard lock(registry_->mutex);
    for (const auto& [device_id, entry] : registry_->entries) devices.insert(device_id);
    return devices;
  }

  bool IsListening(const std::string& device_id) const override {
    std::lock_guard lock(registry_->mutex);
    return registry_->entries.contains(device_id);
  }

 private:
  std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
};

}  // namespace

std::unique_ptr<Bus> MakeInprocBus() {
  return std::make_unique<InprocBus>();
}

}  // namespace ferry::server

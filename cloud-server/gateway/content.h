// GET /content/<sha256>: sealed files for devices that show a content token.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cloud-server/blob/blob.h"
#include "cloud-server/store/store.h"
#include "common/crypto/secret.h"
#include "common/sys/clock.h"
#include "common/sys/net.h"
#include "common/sys/refusals.h"

namespace ferry::server {

inline constexpr int64_t kContentTokenLifeMs = 24 * int64_t{3'600'000};
inline constexpr std::string_view kContentPath = "/content/";

// "<device>.<expiry ms>.<hex of HMAC-SHA256 over both>": no table needs to be looked up.
std::string MakeContentToken(const crypto::Secret32& secret, const std::string& device,
                             int64_t expires_ms);
// The device; kUnauthenticated for a wrong or expired token.
Result<std::string> CheckContentToken(const crypto::Secret32& secret, std::string_view token,
                                      int64_t now_ms);
// kBlocked; kUnauthenticated for a device that is not enrolled (any more). A store that cannot be
// read is ok: what the caller does with it next says so.
Status CheckNotBlocked(Store& store, const std::string& device);

// How long a transfer that is under way may go on after its device was blocked.
inline constexpr int64_t kBlockedLookMs = 1'000;

// How long an address holds that a device is sent on to; a transfer that began goes on.
inline constexpr int64_t kElsewhereLifeS = 900;

// Transfers of one device at a time: each holds a connection, and there are as many for all.
inline constexpr int kMaxTransfersOfDevice = 64;

// What the door did since the process began.
struct ContentUse {
  std::atomic<int64_t> transfers = 0;  // that were begun here
  std::atomic<int64_t> bytes = 0;      // that were read for them
  std::atomic<int64_t> sent_on = 0;    // devices that were told where else it is
};

// How many transfers each device has. Any thread.
class Transfers : public std::enable_shared_from_this<Transfers> {
 public:
  // Counts one for as long as someone holds what comes back; null when the device has
  // kMaxTransfersOfDevice.
  std::shared_ptr<void> Begin(const std::string& device);

 private:
  void End(const std::string& device);

  std::mutex mutex_;
  std::map<std::string, int> of_device_;
};

// Any thread. Content is sealed, so that a token only keeps strangers from using the server as a
// mirror. kBlocked for a device that the operator blocked, whatever its token says;
// kUnavailable for one that has too many transfers. Who may be sent on is, where the blobs have
// addresses of their own: such an address is signed, and says nothing of the device.
class ContentDoor : public sys::ContentSource {
 public:
  ContentDoor(Store& store, BlobStore& blobs, sys::Clock& clock, const crypto::Secret32& secret,
              bool redirects)
      : store_(store), blobs_(blobs), clock_(clock), secret_(secret), redirects_(redirects) {}
  Result<sys::Content> Open(const std::string& path, const std::string& authorization) override;
  Result<std::string> Elsewhere(const std::string& path, const std::string& authorization) override;
  const ContentUse& use() const { return *use_; }

 private:
  struct Asked {
    std::string device;
    std::string name;  // of the blob
  };
  Result<Asked> Check(const std::string& path, const std::string& authorization);

  Store& store_;
  BlobStore& blobs_;
  sys::Clock& clock_;
  crypto::Secret32 secret_;
  const bool redirects_;
  sys::RefusalLog refusals_{"gateway"};
  // Files may outlive the door.
  const std::shared_ptr<ContentUse> use_ = std::make_shared<ContentUse>();
  const std::shared_ptr<Transfers> transfers_ = std::make_shared<Transfers>();
};

}  // namespace ferry::server

// Packages: takes in what publishers signed, serves the metadata chain, and hands content keys to
// devices. Source: roles as in TUF 1.0, keys as in common/package/wrap.h.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cloud-server/blob/blob.h"
#include "cloud-server/store/store.h"
#include "common/crypto/x25519.h"
#include "common/package/wrap.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "common/trust/root.h"

namespace ferry::server {

// The private keys that a running server holds.
struct OnlineSecrets {
  trust::SigningKey snapshot;
  trust::SigningKey timestamp;
  trust::SigningKey director;
  crypto::AgreementKey escrow;
};
// The public halves, for `ferry keys init`.
trust::OnlineKeys PublicKeysOf(const OnlineSecrets& secrets);

// One upload: blobs are stored before.
struct Publication {
  Bytes targets;  // the whole signed document
  Bytes root;     // empty: as it is
  struct Key {
    std::string path;
    package::WrappedKey wrapped;  // to the escrow key
  };
  std::vector<Key> keys;  // one for each path that is new in `targets`
};

inline constexpr int64_t kSnapshotLifeMs = 7 * int64_t{86'400'000};
inline constexpr int64_t kTimestampLifeMs = 1 * int64_t{86'400'000};

// Any thread.
class Registry {
 public:
  struct Options {
    Store* store = nullptr;  // borrowed, as all below
    BlobStore* blobs = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    const OnlineSecrets* secrets = nullptr;
    int64_t snapshot_life_ms = kSnapshotLifeMs;
    int64_t timestamp_life_ms = kTimestampLifeMs;
  };
  explicit Registry(const Options& options) : options_(options) {}

  // The first root is taken when it signs itself and names this server's online keys; a later one
  // when it is the next version and both thresholds signed it. Returns the version. kBadSignature,
  // kVersionRollback, kWrongKey (other online keys), kMalformed.
  Result<int64_t> PutRoot(ByteView document);
  // Checks the whole upload and takes it in, in one transaction: signatures and version of targets,
  // that entries of released paths did not change, that each new path has its blob with that length
  // and hash and a content key that opens with the escrow key. Then signs snapshot and timestamp.
  // Returns the versions of packages that are new. Errors name the path. kBadSignature, kExpired,
  // kVersionRollback, kCorruptContent, kNotFound (a blob), kWrongKey, kFailedPrecondition (no
  // root).
  Result<std::vector<PackageRow>> Publish(const Publication& publication);

  // A document by role ("root", "targets", "snapshot", "timestamp"); version 0: the newest.
  // Snapshot and timestamp are signed anew when less than half of their life is left. kNotFound.
  Result<MetadataRow> Metadata(const std::string& role, int64_t version);
  // Signs snapshot and timestamp anew where due; the ticker calls it. Does nothing without targets.
  Status Refresh();

  // The content key of `path`, wrapped to `device`'s key, if its present assignment names the path
  // and `release`. kPermissionDenied otherwise, kNotFound for an unknown device or path.
  struct DeviceKey {
    std::string key_id;
    package::WrappedKey wrapped;
  };
  Result<DeviceKey> WrapKey(const std::string& device, const std::string& path,
                            const std::string& release);

  // Opens the full artefact of a package into the plain file `to`: for the simulation gate.
  Status OpenPackage(const std::string& package, const std::string& version, sys::FileSystem& fs,
                     const std::string& to);

 private:
  Options options_;
  std::mutex
      publish_mutex_;  // publications and refreshes are one at a time; before the store's lock
};

}  // namespace ferry::server

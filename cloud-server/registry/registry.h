// Packages: takes in what publishers signed, serves the metadata chain, and hands content keys to
// devices. Source: roles as in TUF 1.0, keys as in common/package/wrap.h.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "cloud-server/blob/blob.h"
#include "cloud-server/registry/online_secrets.h"
#include "cloud-server/store/store.h"
#include "common/package/wrap.h"
#include "common/sys/clock.h"
#include "common/sys/random.h"
#include "common/trust/desired.h"
#include "common/trust/documents/personal/personal.h"
#include "common/trust/root.h"
#include "common/trust/snapshot.h"
#include "common/trust/targets.h"
#include "common/trust/withdrawn.h"

namespace ferry::server {

// One upload: blobs are stored before.
struct Publication {
  Bytes targets;  // the whole signed document
  // Of targets in bins: those that are not stored already, by name.
  std::map<std::string, Bytes, std::less<>> bins;
  Bytes root;  // empty: as it is
  struct Key {
    std::string path;
    package::WrappedKey wrapped;  // to the escrow key
  };
  std::vector<Key> keys;  // one for each path that is new in `targets`
  // Of the new paths those whose content nobody has any more. They stay signed, so that numbers
  // go on; a version without its full artefact cannot be released.
  std::vector<std::string> absent;
  // Versions may be withdrawn that a release under way gives out or goes back to, and targets may
  // go into bins that some devices do not fetch.
  bool force = false;
};

// What lies in the content store.
struct ContentReview {
  struct Unused {
    std::string sha256;
    uint64_t length = 0;
    int64_t since_ms = 0;  // 0: found now
    bool dropped = false;  // of a dry run: would be
  };
  uint64_t blobs = 0;
  uint64_t bytes = 0;
  uint64_t unused_blobs = 0;
  uint64_t unused_bytes = 0;
  uint64_t dropped_blobs = 0;
  uint64_t dropped_bytes = 0;
  std::vector<Unused> unused;  // the first kMaxListedUnused
};
inline constexpr size_t kMaxListedUnused = 1000;

inline constexpr int64_t kSnapshotLifeMs = 7 * int64_t{86'400'000};
inline constexpr int64_t kTimestampLifeMs = 1 * int64_t{86'400'000};
inline constexpr int64_t kPersonalLifeMs = 14 * int64_t{86'400'000};

// A file for one device: sealed content that lies in the blob store, and its content key, wrapped
// to the escrow key.
struct PersonalFile {
  std::string device;
  std::string name;
  trust::TargetEntry entry;  // of trust::PersonalEntry
  package::WrappedKey wrapped;
};
struct PersonalChange {
  std::string package;
  std::vector<PersonalFile> put;
  std::vector<std::pair<std::string, std::string>> remove;  // device, name
  std::string by;
};

// A delta is kept when it has at most this share of the full artefact.
inline constexpr uint64_t kMostMadeDeltaPercent = 70;
inline constexpr uint64_t kMaxMadeDeltaBytes = uint64_t{4} << 30;  // both plain packages

// Any thread.
class Registry {
 public:
  struct Options {
    Store* store = nullptr;  // borrowed, as all below
    BlobStore* blobs = nullptr;
    sys::Clock* clock = nullptr;
    sys::Random* random = nullptr;
    const OnlineSecrets* secrets = nullptr;  // to begin with; copied
    KeySource* keys = nullptr;               // null: no key ever waits
    int64_t snapshot_life_ms = kSnapshotLifeMs;
    int64_t timestamp_life_ms = kTimestampLifeMs;
  };
  explicit Registry(const Options& options);

  // Takes the keys that the stored root names, after a crash between a root and its keys' files.
  // kWrongKey when they are not here: then nothing that this server signs is believed.
  Status UseStoredRoot();
  // For one node of several: UseStoredRoot where a root came by another node, or the stored one's
  // keys were not here when this last looked. Otherwise it reads one row.
  Status FollowRoot();
  // Whether the newest root names the present keys, as far as this server has seen. Any thread.
  bool keys_fit() const { return keys_fit_; }
  // The present keys; they change when a root names waiting ones.
  std::shared_ptr<const OnlineSecrets> secrets() const;

  // The first root is taken when it signs itself and names this server's online keys; a later one
  // when it is the next version and both thresholds signed it. One that names waiting keys puts
  // them to use in the same transaction: snapshot and timestamp are signed anew, content keys are
  // wrapped to a new escrow key. `before`: roots between the stored one and this, oldest first;
  // only the last must name keys that are here (a server that was set back lacks those of roots
  // that it forgot). Returns the version. kBadSignature, kVersionRollback, kWrongKey (neither
  // present nor waiting keys), kMalformed.
  Result<int64_t> PutRoot(ByteView document, const std::vector<Bytes>& before = {});
  // What the next root shall name, and for which roles that is a key which waits.
  struct NextKeys {
    trust::OnlineKeys keys;
    std::vector<std::string> waiting;  // "director", ...
  };
  Result<NextKeys> KeysOfNextRoot();
  // Of the newest root; 0 when there is none.
  Result<int64_t> RootVersion();
  // Checks the whole upload and takes it in, in one transaction: signatures and version of targets,
  // that entries of released paths did not change, that each new path has its blob with that length
  // and hash and a content key that opens with the escrow key. Then signs snapshot and timestamp.
  // What a server lacks of paths that it knows (restored, or absent before) is taken in as well;
  // versions that `targets` names as withdrawn lose their rows and content keys.
  // Returns the versions of packages that are new. Errors name the path. kBadSignature, kExpired,
  // kVersionRollback, kCorruptContent, kNotFound (a blob), kWrongKey, kLimitExceeded (targets that
  // fit no frame), kInvalidArgument (also a bin that neither comes nor is here),
  // kFailedPrecondition (no root; a version that a release needs; devices that fetch no bins).
  Result<std::vector<PackageRow>> Publish(const Publication& publication);

  // The newest targets that were taken in, of all bins; version 0 before the first.
  Result<trust::Targets> Signed();
  // What the newest targets name as withdrawn, by path.
  Result<std::vector<trust::Withdrawal>> Withdrawn();

  // A document by role ("root", "targets", "snapshot", "timestamp", "bin-0f"); version 0: the
  // newest.
  // Snapshot and timestamp are signed anew when less than half of their life is left. kNotFound.
  Result<MetadataRow> Metadata(const std::string& role, int64_t version);
  // Signs snapshot and timestamp anew where due; the ticker calls it. Does nothing without targets.
  Status Refresh();
  // Signs both anew whatever life is left: after a start or a restore, versions are then above what
  // devices may have seen of a server whose rows are lost.
  Status Renew();

  // The content key of `path`, wrapped to `device`'s key, if its present assignment names the path
  // and `release`. kPermissionDenied otherwise, kNotFound for an unknown device or path.
  struct DeviceKey {
    std::string key_id;
    package::WrappedKey wrapped;
  };
  Result<DeviceKey> WrapKey(const std::string& device, const std::string& path,
                            const std::string& release);

  // personal.cc. What targets delegate to this server; kFailedPrecondition, kWrongKey say what the
  // publisher has to do.
  Result<trust::PersonalDelegation> PersonalDelegation();
  // Puts and removes files of single devices, in one transaction. Errors name the path or device:
  // those of PersonalDelegation, kNotFound (device, blob), kNotAuthorizedTarget, kLimitExceeded,
  // kInvalidArgument (a name), kCorruptContent, kWrongKey.
  struct PersonalChanged {
    size_t put = 0;
    size_t removed = 0;
    std::vector<std::string> devices;  // that are to hear of it
  };
  Result<PersonalChanged> ChangePersonal(const PersonalChange& change);
  // What the desired state of the device binds: its document, signed anew when something changed,
  // by a new key, or when less than half of its life is left. nullopt: it never had a file.
  Result<std::optional<trust::MetaFile>> BindPersonal(const std::string& device);
  // kNotFound for another version than the last (0: the last).
  Result<MetadataRow> PersonalDocument(const std::string& device, int64_t version);
  // kPermissionDenied for a path that is not this device's.
  Result<DeviceKey> WrapPersonalKey(const std::string& device, const std::string& path);

  // Opens the full artefact of a package into the plain file `to`: for the simulation gate.
  Status OpenPackage(const std::string& package, const std::string& version, sys::FileSystem& fs,
                     const std::string& to);

  // Opens the full artefact piece by piece into `sink`, from the front, until it is at its end or
  // the sink returns an error, which is returned. Each piece is authentic; that all came is only
  // known at the end. kNotFound for an unknown version; kFailedPrecondition where its content is
  // not here or no key of this server opens it. Any number at once: nothing lies on a disk.
  Status ReadPackage(const std::string& package, const std::string& version,
                     const std::function<Status(ByteView)>& sink);

  // made.cc. Makes the delta between two published versions of a package, of which both full
  // artefacts are here, and puts it into the store under a content key of its own. False when it is
  // there, or would not save enough (kMostMadeDeltaPercent). Blocks for as long as it takes:
  // about a second for 1 MB; memory is bounded, plain packages lie in the folder `scratch`
  // meanwhile. kNotFound, kLimitExceeded (kMaxMadeDeltaBytes), kDiskFull.
  Result<bool> MakeDelta(const std::string& package, const std::string& version,
                         const std::string& base, sys::FileSystem& fs, const std::string& scratch);
  // The delta to `version` from `base`, if the server made one.
  Result<std::optional<trust::MadeDelta>> MadeDeltaOf(const std::string& package,
                                                      const std::string& version,
                                                      const std::string& base);

  // Looks through all content for what no published package names, as an upload that was never
  // published. What was found so `keep_ms` long is dropped, and noted otherwise; a dry run only
  // looks. `keep_ms` 0: nothing is dropped.
  Result<ContentReview> ReviewContent(int64_t keep_ms, bool dry_run);
  // A publisher counts on it: it is kept as if it had come now.
  Status NoteContentUsed(const std::string& sha256);

 private:
  Result<WaitingKeys> Waiting() const;
  // Signs and wraps with `next` what `before` did, inside the transaction that stores the root.
  Status UseKeys(Transaction& tx, const OnlineSecrets& before, const OnlineSecrets& next);
  // personal.cc
  Status CheckPersonal(const trust::PersonalDelegation& delegation, const std::string& package,
                       const PersonalFile& file);
  Status SignPersonal(Transaction& tx, const OnlineSecrets& keys, PersonalStateRow* state);
  // Some content keys that are wrapped to an escrow key of before.
  Status RewrapPersonal();
  // The key that the stored targets delegate to is in use from now on.
  Status UsePersonalKey();
  // True when it was dropped.
  Result<bool> DropContent(const std::string& sha256);

  Options options_;
  std::mutex
      publish_mutex_;  // publications and refreshes are one at a time; before the store's lock
  // Of secrets_; before the store's lock. Held alone from before a root is committed until its keys
  // are in use, so that who read the root's rows finds the keys that go with them.
  mutable std::shared_mutex secrets_mutex_;
  std::shared_ptr<const OnlineSecrets> secrets_;
  std::atomic<int64_t> root_in_use_ = 0;          // the version whose keys were looked for last
  std::atomic<bool> keys_fit_ = true;             // they were here
  std::atomic<bool> personal_wrapped_ = false;    // all to the present escrow key
  std::atomic<bool> personal_delegated_ = false;  // by the stored targets, to the key in use
};

}  // namespace ferry::server

// A server's keys, certificates and name as one sealed file: a node is started with it in an empty
// directory, and one that lives takes fresh keys out of a newer one.
//
//   "ferry key ring 1\n" | salt (32) | sealed JSON:
//   {"files":[{"path","permissions","bytes"}],"sealed_ms"}
//
// Sealed by a key of its own each time: HKDF of the secret (ring_secret.h) under the salt.
#pragma once

#include <string>

#include "cloud-server/main/online_keys/ring_secret.h"
#include "common/sys/clock.h"
#include "common/sys/filesystem.h"

namespace ferry::server {

struct SealedRing {
  Bytes bytes;
  RingSecret secret;
};
// What is in the directory of a server and no other node makes by itself, without where the rows
// are. `place` of the secret: ring_secret.h; it is made where there is none. Notes in the directory
// that this ring is known there. Later rings of a server have a later time.
Result<SealedRing> SealKeyRing(const std::string& directory, const std::string& place,
                               const sys::Clock& clock, sys::Random& random);

enum class RingUse {
  kMade,      // the directory is a node's since
  kTaken,     // the node has the ring's keys since
  kNotNewer,  // it has seen this one or a later one: nothing was changed
};
// Makes an empty `directory` that of a node. In that of a node of the same server, which may run,
// it puts the ring's files in place of its own when the ring is newer than what the node has seen;
// an escrow key that is not in the ring is kept for opening. kWrongKey: the secret, or the ring is
// another server's. kMalformed, kCorruptContent.
Result<RingUse> OpenKeyRing(ByteView ring, const std::string& place, const std::string& directory);

inline constexpr uint64_t kMaxRingBytes = 16 << 20;

struct SealKeysCommand {
  std::string directory;
  std::string to;
  std::string secret;  // where it is
  bool json = false;
};
// `ferry-server keys seal`: writes the file, and prints the secret when it was made and is kept
// nowhere.
Status RunSealKeys(const SealKeysCommand& command);

struct OpenKeysCommand {
  std::string directory;
  std::string file;
  std::string secret;
  bool json = false;
};
// `ferry-server keys open`: of a node's directory, also beside the running node.
Status RunOpenKeys(const OpenKeysCommand& command);

// For `run --key-ring`. A node that has never seen a ring is left as it is.
Status UseKeyRing(const std::string& file, const std::string& secret, const std::string& directory);

}  // namespace ferry::server

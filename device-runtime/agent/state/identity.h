// Who this device is: its keys, made here and never leaving, and the server it belongs to.
#pragma once

#include <string>

#include "common/crypto/ed25519.h"
#include "common/crypto/x25519.h"
#include "common/sys/filesystem.h"
#include "common/sys/net.h"
#include "common/sys/random.h"
#include "common/trust/join.h"

namespace ferry::agent {

struct Identity {
  trust::JoinToken join;  // with an empty secret once enrolled
  std::string device_id;  // hexadecimal, from the identity key
  bool enrolled = false;
  crypto::SigningKey identity_key;
  crypto::AgreementKey seal_key;

  sys::Endpoint endpoint() const { return {join.host, join.port}; }
};

// Files of the state directory: identity.json, identity.key, seal.key, all 0600.
inline constexpr char kIdentityFile[] = "identity.json";
inline constexpr char kIdentityKeyFile[] = "identity.key";
inline constexpr char kSealKeyFile[] = "seal.key";

// Makes keys and writes all three files; the last one written makes it valid, so that a power cut
// leaves a whole identity or none. Keys that lie there already are kept.
Result<Identity> MakeIdentity(sys::FileSystem& fs, const std::string& directory,
                              const trust::JoinToken& token, sys::Random& random);
// kNotFound when there is none yet; kPermissionDenied, kMalformed name the file.
Result<Identity> LoadIdentity(sys::FileSystem& fs, const std::string& directory);
// Remembers that the server knows this device, and forgets the join secret.
Status SaveEnrolled(sys::FileSystem& fs, const std::string& directory, Identity* identity);

}  // namespace ferry::agent

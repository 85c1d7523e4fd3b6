// Who this device is: its keys, made here and never leaving, and the server it belongs to. Each
// file lies there twice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/crypto/ed25519.h"
#include "common/crypto/x25519.h"
#include "common/sys/filesystem.h"
#include "common/sys/net.h"
#include "common/sys/random.h"
#include "common/trust/join.h"
#include "common/trust/root.h"

namespace ferry::agent {

struct DeviceKeys {
  crypto::SigningKey identity;
  crypto::AgreementKey seal;
};

struct Identity {
  trust::JoinToken join;  // with an empty secret once enrolled
  std::string device_id;  // hexadecimal, from the first identity key
  bool enrolled = false;
  crypto::SigningKey identity_key;
  crypto::AgreementKey seal_key;
  Bytes rejoin_secret;  // of a token that was given although it is enrolled; never on the disk
  std::string damage;   // what was damaged or absent of the files, for people; "" for nothing
  // New keys that the server may know already: its answer has not come.
  std::optional<DeviceKeys> next{};
  std::optional<DeviceKeys> before{};  // the last ones: a server that was restored knows no others
  bool rotated = false;                // the id is of an earlier identity key
  trust::Line line{};                  // what the newest root says of the server
  int64_t line_root = 0;               // the version of that root; 0: none has said anything

  // Where the server may be, in the order to try: what the root says, and at the end where it was
  // when this device joined. At least one.
  std::vector<sys::Endpoint> Endpoints() const;
  // What to believe it by.
  std::vector<std::string> Authorities() const;
};

// Files of the state directory: identity.json, identity.key, seal.key, all 0600, and their second
// copies; keys that are on their way in <key>.next, the last ones in <key>.before. identity.json is
// a TwinFile; a key file proves itself, its public part being of the private one, so that both
// copies of a key are plain key files.
inline constexpr char kIdentityFile[] = "identity.json";
inline constexpr char kIdentityKeyFile[] = "identity.key";
inline constexpr char kSealKeyFile[] = "seal.key";
inline constexpr char kNextKey[] = ".next";
inline constexpr char kKeyBefore[] = ".before";

// Makes keys and writes all three files; the last one written makes it valid, so that a power cut
// leaves a whole identity or none. Keys that lie there already are kept; what cannot be read is set
// aside.
Result<Identity> MakeIdentity(sys::FileSystem& fs, const std::string& directory,
                              const trust::JoinToken& token, sys::Random& random);
// kNotFound when there is none yet; kPermissionDenied names the file; kCorruptContent: neither copy
// of a file can be used. Changes nothing on the disk.
Result<Identity> LoadIdentity(sys::FileSystem& fs, const std::string& directory);
// Writes both copies of every file that LoadIdentity found absent, older or damaged.
Status HealIdentity(sys::FileSystem& fs, const std::string& directory, const Identity& identity);
// Makes the next keys where there are none; they are on the disk, twice, when it returns ok, and
// must be before the server hears of them.
Status MakeNextKeys(sys::FileSystem& fs, const std::string& directory, sys::Random& random,
                    Identity* identity);
// The server knows the device by `keys`, which are the next ones or those of before: they are its
// own from now on, and the present ones are those of before. A power cut at any write leaves a
// whole pair, with the other one beside it.
Status UseKeys(sys::FileSystem& fs, const std::string& directory, const DeviceKeys& keys,
               Identity* identity);
// Remembers what a root says of the server, if that root is no older than the one that said the
// present line: a device whose trusted metadata are lost walks up from the pinned root, and must
// not fall back to an authority that was retired. True when the line changed.
Result<bool> SaveLine(sys::FileSystem& fs, const std::string& directory, const trust::Root& root,
                      Identity* identity);
// Remembers that the server knows this device, and forgets the join secret.
Status SaveEnrolled(sys::FileSystem& fs, const std::string& directory, Identity* identity);

}  // namespace ferry::agent

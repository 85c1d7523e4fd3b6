// `keys seal`, `keys open` and `run --key-ring`.
#include <cstdio>

#include "cloud-server/main/commands.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/online_keys/key_ring.h"
#include "cloud-server/main/online_keys/ring_note.h"
#include "common/base/json.h"
#include "common/base/log.h"

namespace ferry::server {
namespace {

const char* NameOf(RingUse use) {
  switch (use) {
    case RingUse::kMade:
      return "made";
    case RingUse::kTaken:
      return "taken";
    case RingUse::kNotNewer:
      return "not_newer";
  }
  return "";
}

const char* Told(RingUse use) {
  switch (use) {
    case RingUse::kMade:
      return "is a node of the server now";
    case RingUse::kTaken:
      return "has the keys of the ring now";
    case RingUse::kNotNewer:
      return "knows this key ring or a later one; nothing was changed";
  }
  return "";
}

Result<RingUse> OpenFile(const std::string& file, const std::string& secret,
                         const std::string& directory) {
  FERRY_ASSIGN_OR_RETURN(const Bytes ring,
                         sys::ReadFile(sys::SystemFileSystem(), file, kMaxRingBytes));
  return OpenKeyRing(ring, secret, directory).Context("{}", file);
}

}  // namespace

Status RunSealKeys(const SealKeysCommand& command) {
  FERRY_ASSIGN_OR_RETURN(
      const SealedRing ring,
      SealKeyRing(command.directory, command.secret, sys::SystemClock(), sys::SystemRandom()));
  FERRY_TRY(sys::WriteFileAtomically(sys::SystemFileSystem(), command.to, ring.bytes));
  const bool shown = ring.secret.made && command.secret.empty();
  const std::string text = shown ? ToHex(ring.secret.secret.bytes()) : "";
  if (command.json) {
    std::printf(
        "%s\n",
        WriteJson({{"key_ring", command.to}, {"secret", text}, {"secret_made", ring.secret.made}})
            .c_str());
    return OkStatus();
  }
  std::printf("%s holds the keys of %s, sealed.\n", command.to.c_str(), command.directory.c_str());
  if (shown) std::printf("Its secret, shown once: %s=%s\n", kKeyRingSecret, text.c_str());
  if (ring.secret.made && !shown) std::printf("Its secret was made: %s\n", command.secret.c_str());
  return OkStatus();
}

Status RunOpenKeys(const OpenKeysCommand& command) {
  FERRY_ASSIGN_OR_RETURN(const RingUse use,
                         OpenFile(command.file, command.secret, command.directory));
  if (use == RingUse::kTaken) {
    FERRY_ASSIGN_OR_RETURN(const ServerHome home,
                           OpenHome(sys::SystemFileSystem(), command.directory));
    FERRY_TRY(WithAudit(home, "ferry-server keys open", command.file,
                        [](const AdminOptions&) { return OkStatus(); }));
  }
  if (command.json) {
    std::printf("%s\n", WriteJson({{"dir", command.directory}, {"ring", NameOf(use)}}).c_str());
  } else {
    std::printf("%s %s.\n", command.directory.c_str(), Told(use));
  }
  return OkStatus();
}

Status UseKeyRing(const std::string& file, const std::string& secret,
                  const std::string& directory) {
  const bool lives = sys::Exists(sys::SystemFileSystem(), sys::JoinPath(directory, "server.json"));
  if (lives) {
    FERRY_ASSIGN_OR_RETURN(const std::optional<int64_t> seen_ms, ReadRingNote(directory));
    if (!seen_ms) {
      LogInfo("server", "{}: a server that came by no key ring; the ring is not looked at",
              directory);
      return OkStatus();
    }
  }
  const Result<RingUse> use = OpenFile(file, secret, directory);
  if (!use.ok()) {
    if (!lives) return use.status();
    // It has keys, and starts with them also while the place of the secret is away.
    LogWarn("server", "the key ring was not looked at: {}", use.status().ToString());
    return OkStatus();
  }
  LogInfo("server", "{}: {} {}", file, directory, Told(*use));
  return OkStatus();
}

}  // namespace ferry::server

// Passwords as they are stored. Any thread.
#pragma once

#include <string>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace ferry::server {

// argon2id (RFC 9106) at the least that OWASP asks for; about 30 ms and 19 MiB on one core.
inline constexpr uint32_t kPasswordMemoryKib = 19'456;
inline constexpr uint32_t kPasswordPasses = 2;
inline constexpr size_t kPasswordSaltBytes = 16;
inline constexpr int kPasswordsAtOnce = 4;  // more wait: each takes that much memory

// "$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>"; kOutOfMemory. `salt` has kPasswordSaltBytes.
Result<std::string> HashPassword(const std::string& password, ByteView salt);
// Of that form, or of the older "pbkdf2-sha256$<rounds>$<salt>$<hash>".
bool MatchesPassword(const std::string& password, const std::string& stored);
// Whether it is of an older form, or of less work, than HashPassword makes.
bool IsOldHash(const std::string& stored);
// Takes as long as a comparison: for a user that is not there.
void WastePassword(const std::string& password);

// The older form, for what was stored before.
std::string Pbkdf2Password(const std::string& password, ByteView salt, int rounds);

}  // namespace ferry::server

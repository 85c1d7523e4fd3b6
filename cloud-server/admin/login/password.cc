#include "cloud-server/admin/login/password.h"

#include <argon2.h>

#include <array>
#include <charconv>
#include <semaphore>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr std::string_view kScheme = "pbkdf2-sha256";
constexpr int kMaxRounds = 10'000'000;

// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA-256, one block.
crypto::Sha256Digest Stretch(const std::string& password, ByteView salt, int rounds) {
  Bytes first = ToBytes(salt);
  first.insert(first.end(), {0, 0, 0, 1});
  crypto::Sha256Digest round = crypto::HmacSha256(AsBytes(password), first);
  crypto::Sha256Digest sum = round;
  for (int i = 1; i < rounds; ++i) {
    round = crypto::HmacSha256(AsBytes(password), round);
    for (size_t b = 0; b < sum.size(); ++b) sum[b] ^= round[b];
  }
  return sum;
}

constexpr size_t kArgonHashBytes = 32;
constexpr std::string_view kArgonName = "$argon2id$";

std::counting_semaphore<kPasswordsAtOnce>& Turns() {
  static std::counting_semaphore<kPasswordsAtOnce> turns(kPasswordsAtOnce);
  return turns;
}

struct Turn {
  Turn() { Turns().acquire(); }
  ~Turn() { Turns().release(); }
  Turn(const Turn&) = delete;
};

bool MatchesPbkdf2(const std::string& password, const std::string& stored);

}  // namespace

Result<std::string> HashPassword(const std::string& password, ByteView salt) {
  const Turn turn;
  std::array<char, 128> encoded{};
  const int failed = argon2id_hash_encoded(kPasswordPasses, kPasswordMemoryKib, 1, password.data(),
                                           password.size(), salt.data(), salt.size(),
                                           kArgonHashBytes, encoded.data(), encoded.size());
  if (failed == ARGON2_MEMORY_ALLOCATION_ERROR)
    return Status::Of(Code::kOutOfMemory, "a password needs {} KiB of memory", kPasswordMemoryKib);
  if (failed != ARGON2_OK)
    return Status::Of(Code::kInternal, "argon2id: {}", argon2_error_message(failed));
  return std::string(encoded.data());
}

bool MatchesPassword(const std::string& password, const std::string& stored) {
  if (!stored.starts_with(kArgonName)) return MatchesPbkdf2(password, stored);
  const Turn turn;
  return argon2id_verify(stored.c_str(), password.data(), password.size()) == ARGON2_OK;
}

bool IsOldHash(const std::string& stored) {
  return !stored.starts_with(fmt::format("{}v={}$m={},t={},p=1$", kArgonName,
                                         static_cast<int>(ARGON2_VERSION_13), kPasswordMemoryKib,
                                         kPasswordPasses));
}

void WastePassword(const std::string& password) {
  const Bytes salt(kPasswordSaltBytes, 0);
  static_cast<void>(HashPassword(password, salt).ok());
}

std::string Pbkdf2Password(const std::string& password, ByteView salt, int rounds) {
  return fmt::format("{}${}${}${}", kScheme, rounds, ToHex(salt),
                     ToHex(Stretch(password, salt, rounds)));
}

namespace {

bool MatchesPbkdf2(const std::string& password, const std::string& stored) {
  std::string_view rest = stored;
  auto next = [&] {
    const size_t end = rest.find('$');
    std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
  };
  if (next() != kScheme) return false;
  const std::string_view rounds_text = next();
  int rounds = 0;
  std::from_chars(rounds_text.data(), rounds_text.data() + rounds_text.size(), rounds);
  Result<Bytes> salt = FromHex(next());
  Result<Bytes> hash = FromHex(rest);
  if (rounds < 1 || rounds > kMaxRounds || !salt.ok() || !hash.ok()) return false;
  return crypto::ConstantTimeEqual(Stretch(password, *salt, rounds), *hash);
}

}  // namespace

}  // namespace ferry::server

#include <charconv>

#include "cloud-server/admin/access.h"
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

}  // namespace

std::string HashPassword(const std::string& password, ByteView salt, int rounds) {
  return fmt::format("{}${}${}${}", kScheme, rounds, ToHex(salt),
                     ToHex(Stretch(password, salt, rounds)));
}

bool MatchesPassword(const std::string& password, const std::string& stored) {
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

}  // namespace ferry::server

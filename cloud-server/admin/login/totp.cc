#include "cloud-server/admin/login/totp.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <cctype>

#include "common/base/json.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kRecoveryLetters = 10;
constexpr size_t kMaxCodeBytes = 64;

std::string Base32Of(ByteView bytes, const char* letters) {
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 5; count -= 5) text += letters[bits >> (count - 5) & 31];
    bits &= 0xFF;
  }
  if (count > 0) text += letters[bits << (5 - count) & 31];
  return text;
}

}  // namespace

std::string Base32(ByteView bytes) {
  return Base32Of(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
}

std::string TotpCode(ByteView secret, int64_t step, int digits) {
  uint8_t counter[8];
  for (int i = 0; i < 8; ++i)
    counter[i] = static_cast<uint8_t>(static_cast<uint64_t>(step) >> (56 - 8 * i));
  uint8_t mac[EVP_MAX_MD_SIZE];
  CHECK(HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter, sizeof(counter),
             mac, nullptr) != nullptr);
  constexpr size_t kLast = 19;  // of SHA-1's bytes
  const size_t at = mac[kLast] & 15;
  const uint32_t number = (uint32_t{mac[at]} & 127) << 24 | uint32_t{mac[at + 1]} << 16 |
                          uint32_t{mac[at + 2]} << 8 | uint32_t{mac[at + 3]};
  uint32_t modulus = 1;
  for (int i = 0; i < digits; ++i) modulus *= 10;
  return fmt::format("{:0{}}", number % modulus, digits);
}

std::string TotpUri(const std::string& user, ByteView secret) {
  std::string escaped;
  for (const char c : user) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return fmt::format("otpauth://totp/Ferry:{}?secret={}&issuer=Ferry&digits={}&period={}", escaped,
                     Base32(secret), kTotpDigits, kTotpStepMs / 1000);
}

Result<Totp> Totp::Parse(const std::string& text) {
  Totp totp;
  if (text.empty()) return totp;
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("second factor"));
  FERRY_ASSIGN_OR_RETURN(const std::string secret, GetString(json, "secret"));
  FERRY_ASSIGN_OR_RETURN(totp.secret, FromHex(secret));
  FERRY_ASSIGN_OR_RETURN(totp.confirmed, GetBoolOr(json, "confirmed", false));
  FERRY_ASSIGN_OR_RETURN(totp.step, GetIntOr(json, "step", -1));
  FERRY_ASSIGN_OR_RETURN(totp.recovery_sha256, GetStrings(json, "recovery_sha256"));
  return totp;
}

std::string Totp::Text() const {
  if (none()) return {};
  return WriteJson({{"secret", ToHex(secret)},
                    {"confirmed", confirmed},
                    {"step", step},
                    {"recovery_sha256", recovery_sha256}});
}

bool Totp::Take(const std::string& code, int64_t now_ms) {
  if (none() || code.size() > kMaxCodeBytes) return false;
  std::string digits;
  for (const char c : code)
    if (c != ' ') digits += c;
  const int64_t now_step = now_ms / kTotpStepMs;
  for (int64_t at = now_step - kTotpDrift; at <= now_step + kTotpDrift; ++at) {
    if (at <= step || !crypto::ConstantTimeEqual(AsBytes(TotpCode(secret, at)), AsBytes(digits)))
      continue;
    step = at;
    return true;
  }
  if (!confirmed) return false;  // nobody has lost what he has not shown
  const std::string hash = RecoveryHash(code);
  const auto found = std::find(recovery_sha256.begin(), recovery_sha256.end(), hash);
  if (found == recovery_sha256.end()) return false;
  recovery_sha256.erase(found);
  return true;
}

std::string RecoveryCode(ByteView random) {
  // Without letters that are taken for others.
  std::string text =
      Base32Of(random, "abcdefghjkmnpqrstuvwxyz023456789").substr(0, kRecoveryLetters);
  text.insert(kRecoveryLetters / 2, "-");
  return text;
}

std::string RecoveryHash(const std::string& code) {
  std::string letters;
  for (const char c : code)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return crypto::Sha256Hex(AsBytes(letters));
}

}  // namespace ferry::server

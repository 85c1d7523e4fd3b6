#include "cloud-server/have/text.h"

#include <algorithm>

#include "common/crypto/aead.h"
#include "common/crypto/hash.h"
#include "common/proto/have_text.h"

namespace ferry::server {
namespace {

constexpr int64_t kDayMs = 86'400'000;
constexpr size_t kDayBytes = 4;
constexpr size_t kIdBytes = 16;
constexpr size_t kPlainBytes = kIdBytes + 8;
constexpr size_t kHeadBytes = crypto::kAeadNonceBytes + kDayBytes;
constexpr size_t kSealedBytes = kPlainBytes + crypto::kAeadTagBytes;

static_assert(proto::kHaveNameLetters == 2 * crypto::kAeadNonceBytes);

// A key a day, so that nonces drawn at random stay far from meeting under one.
crypto::Secret32 KeyOfDay(const crypto::Secret32& secret, uint32_t day) {
  Bytes info = ToBytes("ferry have v1");
  info.resize(info.size() + kDayBytes);
  PutU32(info.data() + info.size() - kDayBytes, day);
  Bytes key = crypto::HkdfSha256Expand(secret.bytes(), info, crypto::kAeadKeyBytes).value();
  crypto::Secret32 out = crypto::Secret32::From(key, "key of a day").value();
  crypto::Wipe(key);
  return out;
}

}  // namespace

std::string SealHave(const crypto::Secret32& secret, const Have& have, int64_t now_ms,
                     sys::Random& random) {
  const Result<Bytes> id = FromHex(have.device);
  if (!id.ok() || id->size() != kIdBytes || ToHex(*id) != have.device) return {};
  Bytes text(kHeadBytes + kSealedBytes);
  const std::span<uint8_t> nonce(text.data(), crypto::kAeadNonceBytes);
  random.Fill(nonce);
  const auto day = static_cast<uint32_t>(now_ms / kDayMs);
  PutU32(text.data() + nonce.size(), day);
  Bytes plain = *id;
  plain.resize(kPlainBytes);
  PutU64(plain.data() + kIdBytes, static_cast<uint64_t>(have.generation));
  crypto::Aead(KeyOfDay(secret, day).bytes()).Seal(nonce, {}, plain, text.data() + kHeadBytes);
  return std::string(proto::kHaveMark) + ToHex(text);
}

std::optional<Have> OpenHave(const crypto::Secret32& secret, std::string_view text,
                             int64_t now_ms) {
  const Result<Bytes> bytes = FromHex(proto::HaveBodyOf(text));
  if (!bytes.ok() || bytes->size() != kHeadBytes + kSealedBytes) return std::nullopt;
  const uint32_t day = GetU32(bytes->data() + crypto::kAeadNonceBytes);
  // Clocks of nodes differ by seconds, which may be two days.
  const int64_t age = now_ms / kDayMs - int64_t{day};
  if (age < -1 || age > kHaveTextDays) return std::nullopt;
  const ByteView view(*bytes);
  Bytes plain(kPlainBytes);
  crypto::Aead aead(KeyOfDay(secret, day).bytes());
  if (!aead.Open(view.first(crypto::kAeadNonceBytes), {}, view.subspan(kHeadBytes), plain.data()))
    return std::nullopt;
  return Have{ToHex(ByteView(plain).first(kIdBytes)),
              static_cast<int64_t>(GetU64(plain.data() + kIdBytes))};
}

}  // namespace ferry::server

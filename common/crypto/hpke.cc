#include "common/crypto/hpke.h"

#include "common/crypto/aead.h"
#include "common/crypto/hash.h"

namespace ferry::crypto {
namespace {

// RFC 9180, sections 4, 4.1, 5.1 and 7: suite ids of DHKEM(X25519, HKDF-SHA256) = 0x0020,
// HKDF-SHA256 = 0x0001, AES-256-GCM = 0x0002.
constexpr std::string_view kKemSuite{"KEM\x00\x20", 5};
constexpr std::string_view kHpkeSuite{"HPKE\x00\x20\x00\x01\x00\x02", 10};
constexpr uint8_t kModeBase = 0;

void Put(Bytes& to, ByteView bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

Sha256Digest LabeledExtract(std::string_view suite, ByteView salt, std::string_view label,
                            ByteView input) {
  Bytes labeled = ToBytes("HPKE-v1");
  Put(labeled, AsBytes(suite));
  Put(labeled, AsBytes(label));
  Put(labeled, input);
  const Sha256Digest digest = HkdfSha256Extract(salt, labeled);
  Wipe(labeled);
  return digest;
}

Bytes LabeledExpand(std::string_view suite, ByteView prk, std::string_view label, ByteView info,
                    uint16_t length) {
  Bytes labeled{static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)};
  Put(labeled, AsBytes("HPKE-v1"));
  Put(labeled, AsBytes(suite));
  Put(labeled, AsBytes(label));
  Put(labeled, info);
  Result<Bytes> out = HkdfSha256Expand(prk, labeled, length);
  return std::move(out).value();  // every length asked for here is possible
}

Bytes SharedSecret(const Secret32& agreed, ByteView enc, ByteView recipient) {
  Bytes context = ToBytes(enc);
  Put(context, recipient);
  const Sha256Digest prk = LabeledExtract(kKemSuite, {}, "eae_prk", agreed.bytes());
  return LabeledExpand(kKemSuite, prk, "shared_secret", context, 32);
}

struct KeyAndNonce {
  Bytes key, nonce;
  ~KeyAndNonce() { Wipe(key); }
};

// The sequence number of the only message is 0: its nonce is the base nonce.
KeyAndNonce Schedule(ByteView shared_secret, ByteView info) {
  Bytes context{kModeBase};
  Put(context, LabeledExtract(kHpkeSuite, {}, "psk_id_hash", {}));
  Put(context, LabeledExtract(kHpkeSuite, {}, "info_hash", info));
  const Sha256Digest secret = LabeledExtract(kHpkeSuite, shared_secret, "secret", {});
  return {LabeledExpand(kHpkeSuite, secret, "key", context, kAeadKeyBytes),
          LabeledExpand(kHpkeSuite, secret, "base_nonce", context, kAeadNonceBytes)};
}

}  // namespace

Result<HpkeMessage> HpkeSeal(ByteView recipient, ByteView info, ByteView aad, ByteView plaintext,
                             sys::Random& random) {
  const AgreementKey ephemeral = AgreementKey::Generate(random);
  FERRY_ASSIGN_OR_RETURN(const Secret32 agreed, ephemeral.Agree(recipient));
  const Bytes shared = SharedSecret(agreed, ephemeral.public_key(), recipient);
  const KeyAndNonce keys = Schedule(shared, info);
  HpkeMessage message{ephemeral.public_key(), Bytes(plaintext.size() + kAeadTagBytes)};
  Aead(keys.key).Seal(keys.nonce, aad, plaintext, message.ciphertext.data());
  return message;
}

Result<Bytes> HpkeOpen(const AgreementKey& recipient, ByteView enc, ByteView info, ByteView aad,
                       ByteView ciphertext) {
  FERRY_ASSIGN_OR_RETURN(const Secret32 agreed, recipient.Agree(enc));
  if (ciphertext.size() < kAeadTagBytes) {
    return Status::Of(Code::kMalformed, "wrapped key: {} bytes are too few", ciphertext.size());
  }
  const Bytes shared = SharedSecret(agreed, enc, recipient.public_key());
  const KeyAndNonce keys = Schedule(shared, info);
  Bytes plain(ciphertext.size() - kAeadTagBytes);
  if (!Aead(keys.key).Open(keys.nonce, aad, ciphertext, plain.data())) {
    return Status(Code::kWrongKey, "wrapped key: not for this key, or for other circumstances");
  }
  return plain;
}

}  // namespace ferry::crypto

// HPKE (RFC 9180), base mode, one message: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. By
// hand over OpenSSL 3.0's primitives, which lack HPKE; checked on the RFC's vectors.
#pragma once

#include "common/crypto/x25519.h"

namespace ferry::crypto {

struct HpkeMessage {
  PublicKey enc;     // the encapsulated key
  Bytes ciphertext;  // with its tag, 16 bytes longer than the plaintext
};

// For the holder of `recipient` only. kInvalidArgument for a bad public key.
Result<HpkeMessage> HpkeSeal(ByteView recipient, ByteView info, ByteView aad, ByteView plaintext,
                             sys::Random& random);
// kWrongKey when key, info, aad or a byte differ from what was sealed.
Result<Bytes> HpkeOpen(const AgreementKey& recipient, ByteView enc, ByteView info, ByteView aad,
                       ByteView ciphertext);

}  // namespace ferry::crypto

// Content keys on their way: from the publisher to the server's escrow key, and from the server to
// one device's key, by HPKE (RFC 9180, base mode X25519).
#pragma once

#include <string>

#include "common/crypto/hpke.h"
#include "common/trust/targets.h"

namespace ferry::package {

struct WrappedKey {
  Bytes enc;     // 32 bytes
  Bytes sealed;  // 48 bytes
};

// Text of a public X25519 key's id: the first 16 hexadecimal characters of its SHA-256.
std::string SealKeyId(ByteView public_key);

// info = "ferry escrow v1|" + key id, aad = trust::EntryHash(entry).
Result<WrappedKey> WrapForEscrow(ByteView escrow_public, const trust::TargetEntry& entry,
                                 const crypto::Secret32& content_key, sys::Random& random);
// kWrongKey when key or entry differ.
Result<crypto::Secret32> UnwrapEscrow(const crypto::AgreementKey& escrow,
                                      const trust::TargetEntry& entry, const WrappedKey& wrapped);

// Who a device's wrap is for; info = "tenant|release|device|key id".
struct WrapContext {
  std::string tenant;
  std::string release;
  std::string device;
};
Result<WrappedKey> WrapForDevice(ByteView device_public, const WrapContext& context,
                                 const trust::TargetEntry& entry,
                                 const crypto::Secret32& content_key, sys::Random& random);
Result<crypto::Secret32> UnwrapOnDevice(const crypto::AgreementKey& device,
                                        const WrapContext& context, const trust::TargetEntry& entry,
                                        const WrappedKey& wrapped);

}  // namespace ferry::package

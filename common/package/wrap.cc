#include "common/package/wrap.h"

#include "common/crypto/hash.h"

namespace ferry::package {
namespace {

std::string EscrowInfo(ByteView public_key) {
  return "ferry escrow v1|" + SealKeyId(public_key);
}

std::string DeviceInfo(const WrapContext& context, ByteView public_key) {
  return context.tenant + "|" + context.release + "|" + context.device + "|" +
         SealKeyId(public_key);
}

// Names may not hold the separator: two contexts would share one info.
Status CheckContext(const WrapContext& context) {
  for (const std::string* part : {&context.tenant, &context.release, &context.device}) {
    if (part->find('|') != std::string::npos) {
      return Status::Of(Code::kInvalidArgument, "\"{}\" holds \"|\"", *part);
    }
  }
  return OkStatus();
}

Result<WrappedKey> Wrap(ByteView public_key, std::string_view info, const trust::TargetEntry& entry,
                        const crypto::Secret32& content_key, sys::Random& random) {
  const trust::Hash aad = trust::EntryHash(entry);
  FERRY_ASSIGN_OR_RETURN(
      crypto::HpkeMessage message,
      crypto::HpkeSeal(public_key, AsBytes(info), aad, content_key.bytes(), random));
  return WrappedKey{ToBytes(ByteView(message.enc)), std::move(message.ciphertext)};
}

Result<crypto::Secret32> Unwrap(const crypto::AgreementKey& key, std::string_view info,
                                const trust::TargetEntry& entry, const WrappedKey& wrapped) {
  const trust::Hash aad = trust::EntryHash(entry);
  FERRY_ASSIGN_OR_RETURN(Bytes plain,
                         crypto::HpkeOpen(key, wrapped.enc, AsBytes(info), aad, wrapped.sealed));
  auto out = crypto::Secret32::From(plain, "content key");
  crypto::Wipe(plain);
  return out;
}

}  // namespace

std::string SealKeyId(ByteView public_key) {
  return crypto::Sha256Hex(public_key).substr(0, 16);
}

Result<WrappedKey> WrapForEscrow(ByteView escrow_public, const trust::TargetEntry& entry,
                                 const crypto::Secret32& content_key, sys::Random& random) {
  return Wrap(escrow_public, EscrowInfo(escrow_public), entry, content_key, random)
      .Context("wrapping the key of {} {} for the server", entry.package, entry.version);
}

Result<crypto::Secret32> UnwrapEscrow(const crypto::AgreementKey& escrow,
                                      const trust::TargetEntry& entry, const WrappedKey& wrapped) {
  return Unwrap(escrow, EscrowInfo(escrow.public_key()), entry, wrapped)
      .Context("the escrowed key of {} {}", entry.package, entry.version);
}

Result<WrappedKey> WrapForDevice(ByteView device_public, const WrapContext& context,
                                 const trust::TargetEntry& entry,
                                 const crypto::Secret32& content_key, sys::Random& random) {
  FERRY_TRY(CheckContext(context));
  return Wrap(device_public, DeviceInfo(context, device_public), entry, content_key, random)
      .Context("wrapping the key of {} {} for device {}", entry.package, entry.version,
               context.device);
}

Result<crypto::Secret32> UnwrapOnDevice(const crypto::AgreementKey& device,
                                        const WrapContext& context, const trust::TargetEntry& entry,
                                        const WrappedKey& wrapped) {
  FERRY_TRY(CheckContext(context));
  return Unwrap(device, DeviceInfo(context, device.public_key()), entry, wrapped)
      .Context("the wrapped key of {} {} for device {}", entry.package, entry.version,
               context.device);
}

}  // namespace ferry::package

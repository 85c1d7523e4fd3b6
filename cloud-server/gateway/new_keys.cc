// New keys of a device that keeps its id: both the key that counts and the new one sign.
#include "cloud-server/gateway/session.h"
#include "common/base/log.h"
#include "common/crypto/ed25519.h"

namespace ferry::server {
namespace {

constexpr size_t kDeviceKeyBytes = 32;

ByteView KeyView(const std::string& bytes) {
  return AsBytes(bytes);
}

}  // namespace

void Session::AskForKeys() {
  if (!takes_new_keys_) return;
  bool asked = false;
  const Status read = options().store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device_));
    asked = row.new_keys_ms != 0;
    return OkStatus();
  });
  if (!read.ok()) LogWarn("gateway", "device {}: {}", device_, read.ToString());
  if (!asked) return;
  proto::Envelope message;
  message.mutable_ask_keys();
  Send(message);
}

Status Session::OnNewKeys(const proto::NewKeys& keys) {
  if (keys.identity_public().size() != kDeviceKeyBytes ||
      keys.seal_public().size() != kDeviceKeyBytes)
    return Status(Code::kMalformed, "new keys of another length than 32 bytes");
  const Bytes message =
      proto::NewKeysMessage(device_, KeyView(keys.identity_public()), KeyView(keys.seal_public()));
  if (!crypto::Verify(KeyView(keys.identity_public()), message, KeyView(keys.by_new())))
    return Status(Code::kBadSignature, "new keys: they are not signed by the new key");
  FERRY_TRY(options().store->Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(DeviceRow row, tx.devices().Get(device_));
    // Its answer was lost: it says them again.
    const bool again = row.identity_public == ToBytes(KeyView(keys.identity_public())) &&
                       row.seal_public == ToBytes(KeyView(keys.seal_public()));
    if (again) return OkStatus();
    if (row.new_keys_ms == 0)
      return Status::Of(Code::kFailedPrecondition, "device {} was not asked for new keys", device_);
    if (!crypto::Verify(row.identity_public, message, KeyView(keys.by_present())))
      return Status(Code::kBadSignature, "new keys: they are not signed by the present key");
    row.identity_public = ToBytes(KeyView(keys.identity_public()));
    row.seal_public = ToBytes(KeyView(keys.seal_public()));
    row.new_keys_ms = 0;
    return tx.devices().Put(row);
  }));
  LogInfo("gateway", "device {} has new keys", device_);
  proto::Envelope answer;
  answer.mutable_keys_taken()->set_identity_public(keys.identity_public());
  Send(answer);
  return OkStatus();
}

}  // namespace ferry::server

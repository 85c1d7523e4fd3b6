#include "cloud-server/main/truth/claim.h"

#include "cloud-server/store/move/move.h"
#include "cloud-server/store/open.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kNameBytes = 8;

Status CheckSettings(Transaction& tx, const std::string& shown, const ServerHome& home,
                     bool* noted) {
  FERRY_ASSIGN_OR_RETURN(const auto moved, tx.access().Setting(kMovedSetting));
  if (moved)
    return Status::Of(Code::kFailedPrecondition, "{}: its rows were moved to {}", shown, *moved);
  FERRY_ASSIGN_OR_RETURN(const auto moving, tx.access().Setting(kMovingSetting));
  if (moving)
    return Status::Of(Code::kFailedPrecondition,
                      "{}: a move from {} to it did not end; begin `ferry-server move` again",
                      shown, *moving);
  FERRY_ASSIGN_OR_RETURN(const auto ring, tx.access().Setting(kKeyRingSetting));
  *noted = ring.has_value();
  const std::string own = KeyRingName(home);
  if (!ring || *ring == own) return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} belongs to the cluster of key ring {}, the keys in {} are of key ring {}: "
                    "another cluster's database, or another cluster's directory",
                    shown, *ring, home.directory, own);
}

}  // namespace

std::string KeyRingName(const ServerHome& home) {
  constexpr std::string_view kLabel = "ferry key ring 1";
  const crypto::Sha256Digest digest =
      crypto::HmacSha256(home.content_secret.bytes(), AsBytes(kLabel));
  return ToHex(ByteView(digest).first(kNameBytes));
}

Status CheckTruth(Store& store, const std::string& place, const ServerHome& home) {
  FERRY_ASSIGN_OR_RETURN(const std::string shown, ShownPlace(place));
  bool noted = false;
  return store.Read([&](Transaction& tx) { return CheckSettings(tx, shown, home, &noted); });
}

Result<std::unique_ptr<Store>> OpenTruth(const ServerHome& home) {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, OpenStore(home.StorePlace()));
  FERRY_ASSIGN_OR_RETURN(const std::string shown, ShownPlace(home.StorePlace()));
  bool noted = false;
  FERRY_TRY(store->Read([&](Transaction& tx) { return CheckSettings(tx, shown, home, &noted); }));
  if (noted) return store;
  // Again in the transaction that writes: of two servers that come at once one is the first.
  FERRY_TRY(store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(CheckSettings(tx, shown, home, &noted));
    return noted ? OkStatus() : tx.access().PutSetting(kKeyRingSetting, KeyRingName(home));
  }));
  return store;
}

}  // namespace ferry::server

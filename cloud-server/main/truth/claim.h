// Whose the rows of a store are. A database notes the key ring of the first server that opens it;
// one with other keys is refused from then on, for what it signed and wrapped there nobody could
// read. So are rows that a move left behind or has not finished.
#pragma once

#include <memory>
#include <string>

#include "cloud-server/main/home.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

inline constexpr const char* kKeyRingSetting = "cluster.key_ring";

// What tells the key rings of servers apart and says nothing of the keys. It is the same in all
// copies of a directory and stays when online keys are rotated.
std::string KeyRingName(const ServerHome& home);

// The store of `home`. kFailedPrecondition names another server's key ring, or where the rows are.
Result<std::unique_ptr<Store>> OpenTruth(const ServerHome& home);
// The same of a place that is not the home's yet; changes nothing. An empty database is nobody's.
Status CheckTruth(Store& store, const std::string& place, const ServerHome& home);

}  // namespace ferry::server

// What this server knows of who uses a device goes: rows that came of it, those that were refused,
// and the texts of errors that it reported. What a release needs stays: versions, outcomes, counts.
// So do copies that an operator made: backups, and what webhooks and exports have taken.
#pragma once

#include <string>

#include "cloud-server/store/store.h"
#include "common/base/json_fwd.h"

namespace ferry::server {

inline constexpr size_t kErasedAtOnce = 1000;  // rows of one transaction

// In as many transactions as it takes. Any thread; the errors of Store.
Result<ErasedHere> EraseDevice(Store& store, const std::string& device);
// {"id","asked_by","asked_ms","records","refused","texts","device":{"number","heard_ms","receipt"}|
//  null}
Json ErasureToJson(const ErasureRow& row);

}  // namespace ferry::server

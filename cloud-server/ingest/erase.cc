#include "cloud-server/ingest/erase.h"

#include "common/base/json.h"

namespace ferry::server {

Result<ErasedHere> EraseDevice(Store& store, const std::string& device) {
  ErasedHere all;
  for (;;) {
    ErasedHere now;
    FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(now, tx.erasures().Remove(device, kErasedAtOnce));
      return OkStatus();
    }));
    all.records += now.records;
    all.refused += now.refused;
    all.texts += now.texts;
    if (now.all() == 0) return all;
  }
}

Json ErasureToJson(const ErasureRow& row) {
  Json out = {{"id", row.id},           {"asked_by", row.asked_by}, {"asked_ms", row.asked_ms},
              {"records", row.records}, {"refused", row.refused},   {"texts", row.texts},
              {"device", nullptr}};
  if (row.device_ms == 0) return out;
  auto receipt = ParseJson(row.device_receipt);
  out["device"] = {{"number", row.device_number},
                   {"heard_ms", row.device_ms},
                   {"receipt", receipt.ok() ? std::move(*receipt) : Json()}};
  return out;
}

}  // namespace ferry::server

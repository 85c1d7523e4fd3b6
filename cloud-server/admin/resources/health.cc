// Whether the server lives, and whether what it stands on answers: for those who start it and those
// who send it work.
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

// No blob has it: the hash of nothing but zeros is not known.
const std::string kNoBlob(64, '0');

// "ok", or why not.
std::string Said(const Status& status) {
  return status.ok() ? "ok" : status.ToString();
}

Status AskBlobs(BlobStore* blobs) {
  const Status there = AsStatus(blobs->Size(kNoBlob));
  return there.code() == Code::kNotFound ? OkStatus() : there;
}

HttpResponse GetHealth(const Call&) {
  HttpResponse response;
  response.body = "{\"ok\":true}";
  return response;
}

HttpResponse GetReady(const Call& call) {
  const Status store = call.admin.store->Read(
      [](Transaction& tx) { return AsStatus(tx.access().Setting("server.ready")); });
  const Status blobs = AskBlobs(call.admin.blobs);
  // Without a bus devices of other nodes wait until they poll: that is no reason to send no work.
  const bool bus = !call.admin.bus_connected || call.admin.bus_connected();
  const bool left_behind = call.admin.left_behind && call.admin.left_behind();
  const bool draining = call.admin.draining && call.admin.draining();
  // Devices would believe nothing of what it signs; the key ring has what it lacks.
  const bool fit = call.admin.registry == nullptr || call.admin.registry->keys_fit();
  const bool ready = store.ok() && blobs.ok() && fit && !draining && !left_behind;
  HttpResponse response;
  response.status = ready ? 200 : 503;
  Json body = {{"ready", ready},
               {"store", Said(store)},
               {"blobs", Said(blobs)},
               {"bus", bus ? "ok" : "away"}};
  if (left_behind) body["store"] = "its schema is of a newer release and serves this one no more";
  if (draining) body["draining"] = true;
  if (!fit) body["keys"] = "the newest root names keys that are not here";
  response.body = WriteJson(body);
  return response;
}

}  // namespace

void Add_health(Routes& routes) {
  routes.AddOpenRaw("GET", "/healthz", GetHealth);
  routes.AddOpenRaw("GET", "/readyz", GetReady);
}

}  // namespace ferry::server

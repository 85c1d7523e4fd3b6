#include "cloud-server/main/truth/presence.h"

#include <unistd.h>

#include "common/base/log.h"

namespace ferry::server {

Presence::Presence(Parts parts) : parts_(std::move(parts)) {}

Presence::~Presence() {
  beats_.Close();
  const Status left =
      parts_.store->Write([&](Transaction& tx) { return tx.nodes().Leave(parts_.row.name); });
  if (!left.ok()) LogInfo("server", "this node is forgotten by itself: {}", left.ToString());
}

Status Presence::Start() {
  FERRY_TRY(Say(true));
  BeatLater();
  return OkStatus();
}

Status Presence::Say(bool arrives) {
  int64_t served = 0;
  FERRY_TRY(parts_.store->Write([&](Transaction& tx) -> Status {
    FERRY_TRY(arrives ? tx.nodes().Arrive(parts_.row) : tx.nodes().Beat(parts_.row));
    FERRY_ASSIGN_OR_RETURN(served, tx.nodes().OldestServed());
    return OkStatus();
  }));
  if (served <= parts_.row.schema) return OkStatus();
  return Status::Of(Code::kUnsupported,
                    "the database serves programs that know schema {}, this one knows up to {}",
                    served, parts_.row.schema);
}

void Presence::BeatLater() {
  beats_.PostAfter(kNodeBeatMs, [this] {
    const Status said = Say(false);
    if (said.code() == Code::kUnsupported) {
      LogError("server", "this node is left behind and takes no more work: {}", said.message());
      left_behind_ = true;
      return parts_.left_behind();
    }
    if (!said.ok()) LogWarn("server", "saying that this node is there: {}", said.ToString());
    BeatLater();
  });
}

std::string HostOfNode(uint16_t port) {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) name[0] = '\0';
  return fmt::format("{}:{}", name[0] != '\0' ? name : "?", port);
}

}  // namespace ferry::server

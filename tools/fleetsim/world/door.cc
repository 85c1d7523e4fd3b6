#include "tools/fleetsim/world/door.h"

#include <algorithm>

#include "common/trust/desired.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/world/backend.h"

namespace ferry::fleetsim {

Result<server::UnsignedAnswer> Door::Poll(const std::string& id, int64_t have_epoch,
                                          const std::vector<server::InstalledRow>& have) {
  Backend& backend = sim_.backend();
  if (!backend.answers()) return Status(Code::kUnavailable, "the server does not answer");
  ++sim_.outcome().polls;
  backend.rollout->QueueSeen(id);
  return backend.rollout->AnswerFor(id, have_epoch, &have, nullptr, nullptr);
}

void Door::Report(int64_t device, server::ReportRow row, std::function<void(const Status&)> done) {
  Backend& backend = sim_.backend();
  if (!backend.answers()) return done(Status(Code::kUnavailable, "the server does not answer"));
  if (const Status taken = backend.ingest->TakeReport(row.device); !taken.ok()) return done(taken);
  row.received_ms = backend.clock.NowUnixMs();
  if (PlantReport(sim_, row, done)) return;
  const auto seq = static_cast<int64_t>(row.seq);
  backend.rollout->QueueReport(
      std::move(row), [&sim = sim_, device, seq, done = std::move(done)](const Status& stored) {
        if (stored.ok()) {
          ++sim.outcome().reports;
          sim.Note(EventKind::kStored, device, seq);
        }
        done(stored);
      });
}

Status Door::Key(const std::string& id, const Version& version, const std::string& release) {
  Backend& backend = sim_.backend();
  if (!backend.answers()) return Status(Code::kUnavailable, "the server does not answer");
  return AsStatus(backend.registry->WrapKey(id, version.path, release));
}

Bytes Door::Forge(int64_t device, const std::string& id, int64_t have_epoch) {
  trust::Desired desired;
  desired.device = id;
  desired.counter = have_epoch + 1;
  desired.expires_ms = sim_.world().clock().NowUnixMs() + kDayMs;
  trust::DesiredPackage& package = desired.packages[kPackage];
  package.release = "forged";
  const uint64_t choices = sim_.versions().size() + 1;
  const auto choice = static_cast<size_t>(sim_.random().Below(choices));
  const bool unsigned_one = choice >= sim_.versions().size() || !sim_.versions()[choice].published;
  package.version = unsigned_one ? "6.6.6" : sim_.versions()[choice].name;
  package.back = sim_.random().Below(2) == 0;
  package.targets = {trust::FullPath(kPackage, package.version)};
  // Half of the forgers have only a key of their own.
  const bool stolen = sim_.random().Below(2) == 0;
  if (!unsigned_one && stolen) NoteTold(device, static_cast<uint8_t>(choice));
  const crypto::SigningKey own = crypto::SigningKey::Generate(sim_.random());
  Result<Bytes> document =
      trust::SignDesired(desired, stolen ? sim_.backend().secrets.director : own);
  return document.ok() ? std::move(*document) : Bytes();
}

}  // namespace ferry::fleetsim

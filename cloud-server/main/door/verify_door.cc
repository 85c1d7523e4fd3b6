#include "cloud-server/main/door/verify_door.h"

#include <set>
#include <utility>

#include "cloud-server/gateway/content.h"
#include "common/base/log.h"
#include "common/net/client.h"

namespace ferry::server {
namespace {

static_assert(kMaxVerifyFrame == net::kMaxSplitFrameBytes);

constexpr int64_t kLookMs = 1'000;  // between two looks for new versions
constexpr int64_t kMaxMemoryMb = int64_t{1} << 24;
constexpr int64_t kMaxVerifyThreads = 256;
constexpr int64_t kMaxVerifySessions = 1'000'000;

Status CheckRange(const char* option, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return OkStatus();
  return Status::Of(Code::kInvalidArgument, "{} is {}: from {} to {}", option, value, least, most);
}

}  // namespace

Result<std::unique_ptr<VerifyDoor>> VerifyDoor::Start(const VerifyDoorOptions& options,
                                                      const Parts& parts) {
  FERRY_TRY(CheckRange("--verify-memory-mb", options.memory_mb, 1, kMaxMemoryMb));
  FERRY_TRY(CheckRange("--verify-threads", options.threads, 0, kMaxVerifyThreads));
  FERRY_TRY(CheckRange("--verify-sessions", options.sessions, 1, kMaxVerifySessions));
  std::vector<TargetName> names;
  std::set<std::string> packages;
  for (const std::string& text : options.targets) {
    FERRY_ASSIGN_OR_RETURN(TargetName name, ParseTargetName(text));
    if (!packages.insert(name.package).second) {
      return Status::Of(Code::kInvalidArgument, "--verify {}: the package is named twice",
                        name.package);
    }
    names.push_back(std::move(name));
  }
  std::unique_ptr<VerifyDoor> door(new VerifyDoor(options, parts, std::move(names)));
  door->loader_.Post([self = door.get()] { self->Look(); });
  return door;
}

VerifyDoor::VerifyDoor(const VerifyDoorOptions& options, const Parts& parts,
                       std::vector<TargetName> names)
    : options_(options),
      parts_(parts),
      names_(std::move(names)),
      source_(*parts.store, *parts.registry, *parts.fs, parts.scratch),
      parallel_(sys::StartThreadPool(static_cast<int>(options.threads))) {
  VerifyOptions verify;
  verify.executor = &executor_;
  verify.passes = &passes_;
  verify.clock = parts.clock;
  verify.parallel = parallel_.get();
  verify.limits.sessions = options.sessions;
  verify.authenticate = [this](const std::string& token) { return Authenticate(token); };
  verify.authorize = [this](const std::string& device) { return Authorize(device); };
  verify.tenant_of = [this](const std::string& device) { return TenantOf(device); };
  verifier_ = std::make_unique<Verifier>(verify);
}

VerifyDoor::~VerifyDoor() {
  loader_.Close();
  passes_.Close();
  executor_.Close();
}

net::SplitDoor VerifyDoor::door() {
  return {&executor_, [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor&) {
            verifier_->Accept(std::move(channel));
          }};
}

void VerifyDoor::SendAway(int64_t count) {
  executor_.Post([this, count] { verifier_->SendAway(count); });
}

Result<std::string> VerifyDoor::Authenticate(const std::string& token) const {
  FERRY_ASSIGN_OR_RETURN(std::string device, CheckContentToken(*parts_.content_secret, token,
                                                               parts_.clock->NowUnixMs()));
  FERRY_TRY(Authorize(device));
  return device;
}

Status VerifyDoor::Authorize(const std::string& device) const {
  return parts_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device));
    if (row.blocked) return Status::Of(Code::kBlocked, "device {} is blocked", device);
    return OkStatus();
  });
}

// A device that the store cannot say anything of shares with itself alone: no tenant's name has a
// space.
std::string VerifyDoor::TenantOf(const std::string& device) const {
  std::string tenant = "device " + device;
  const Status status = parts_.store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const DeviceRow row, tx.devices().Get(device));
    tenant = row.tenant;
    return OkStatus();
  });
  if (!status.ok()) LogWarn("verify", "the tenant of {}: {}", device, status.ToString());
  return tenant;
}

void VerifyDoor::Look() {
  for (const TargetName& name : names_) Load(name);
  loader_.PostAfter(kLookMs, [this] { Look(); });
}

// Loads the version that is to be served, unless it was tried; says so once.
void VerifyDoor::Load(const TargetName& name) {
  const Result<std::string> version = source_.Version(name);
  std::string& seen = seen_[name.package];
  const std::string now = version.ok() ? *version : version.status().ToString();
  if (std::exchange(seen, now) == now) return;
  if (!version.ok()) {
    LogInfo("verify", "target {} waits: {}", name.package, version.status().message());
    return;
  }
  auto model = source_.Open(name.package, *version);
  if (!model.ok()) {
    LogWarn("verify", "{}", model.status().ToString());
    return;
  }
  const auto count = static_cast<int64_t>(names_.size());
  const VerifyTarget target{name.package, *version, *model, (options_.memory_mb << 20) / count};
  executor_.Post([this, target] {
    const Status status = verifier_->SetTarget(target);
    if (!status.ok()) {
      return LogWarn("verify", "target {} {}: {}", target.name, target.version, status.ToString());
    }
    LogInfo("verify", "target {} {} is served: {} parameters, {} MiB of weights", target.name,
            target.version, target.model->parameters(), target.model->weight_bytes() >> 20);
  });
}

}  // namespace ferry::server

#include "cloud-server/main/fill/fill.h"

#include <cstdio>
#include <random>

#include "cloud-server/core/tally.h"
#include "cloud-server/main/commands.h"
#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr int64_t kDevicesAtOnce = 2'000;  // of one transaction
constexpr int64_t kDayMs = 86'400'000;
constexpr const char* kFilledPackage = "digits";
constexpr const char* kFilledGroup = "staff";
constexpr int64_t kFilledDays = 30;
constexpr int64_t kStaff = 200;  // devices of that list

// Every n-th text in the shares that fleets have: the first ones are common.
class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  // From 0; the same on every machine, which std's distributions are not.
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(bound));
  }
  bool Percent(int64_t percent) { return Below(100) < percent; }
  template <size_t N>
  const char* Of(const char* const (&texts)[N]) {
    return texts[static_cast<size_t>(std::min(Below(N), Below(N)))];
  }
  std::string Hex(int bytes) {
    std::string text;
    while (text.size() < static_cast<size_t>(bytes) * 2) text += fmt::format("{:016x}", engine_());
    text.resize(static_cast<size_t>(bytes) * 2);
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

// Spread like any ids, and ascending: a database writes what comes in the order of its keys side by
// side, and a million rows in any order page by page.
std::string FilledId(Draw& draw, int64_t number, int64_t devices) {
  const int64_t step = (int64_t{1} << 32) / devices;
  return fmt::format("{:08x}", number * step + draw.Below(step)) + draw.Hex(12);
}

// All but the id.
DeviceRow MakeFilledDevice(Draw& draw, const std::string& tenant, int64_t now_ms) {
  DeviceRow device;
  device.tenant = tenant;
  device.identity_public = Bytes(32, static_cast<uint8_t>(draw.Below(256)));
  device.seal_public = device.identity_public;
  device.blocked = draw.Below(200) == 0;
  device.os = draw.Of({"android", "ios", "linux"});
  device.app_version = fmt::format("{}.{}.{}", 3 - std::min(draw.Below(3), draw.Below(3)),
                                   draw.Below(12), draw.Below(4));
  device.device_class = draw.Of({"mid", "high", "low"});
  device.measured_class = device.device_class;
  device.runtime_version = draw.Percent(80) ? "0.1.0" : "0.0.9";
  if (draw.Percent(5)) device.tags.push_back("beta");
  if (draw.Percent(30)) device.tags.push_back(draw.Of({"wifi", "kiosk", "scanner"}));
  device.operator_tags = {draw.Of({"eu/de", "eu/fr", "us/east", "us/west", "apac"})};
  device.extra = {{"battery", std::to_string(draw.Below(101))}};
  device.reads_desired = true;
  device.memory_bytes = int64_t{2 + 2 * draw.Below(4)} << 30;
  device.free_bytes = int64_t{1 + draw.Below(64)} << 30;
  device.isa = device.os == "linux" ? std::vector<std::string>{"avx2", "x86_64"}
                                    : std::vector<std::string>{"aarch64", "dotprod"};
  device.utc_offset_minutes = 60 * (draw.Below(12) - 6);
  device.enrolled_ms = now_ms - draw.Below(300) * kDayMs;
  // Most spoke within the hour, some are silent for days.
  device.last_seen_ms =
      now_ms - (draw.Percent(90) ? draw.Below(3'600'000) : draw.Below(20 * kDayMs));
  return device;
}

struct FilledRelease {
  const char* version;
  const char* fallback_version;
  ReleaseState state;
  const char* reason;
  int64_t percent;  // of the fleet that it reached
  int64_t failed_percent;
};
constexpr FilledRelease kReleases[] = {
    {"1.0.0", "", ReleaseState::kSuperseded, "superseded by digits-1.1.0-2", 100, 0},
    {"1.1.0", "1.0.0", ReleaseState::kComplete, "every stage passed", 95, 0},
    {"1.2.0", "1.1.0", ReleaseState::kPaused, "paused by admin: looking at failures", 30, 2},
};
constexpr size_t kReleaseCount = std::size(kReleases);

Status AddPackages(Transaction& tx, const std::string& tenant, int64_t now_ms) {
  int64_t number = 0;
  for (const FilledRelease& made : kReleases) {
    ++number;
    PackageRow package;
    package.name = kFilledPackage;
    package.version = made.version;
    package.release_counter = number;
    package.plain_sha256 = std::string(64, static_cast<char>('0' + number));
    package.plain_length = 400'000;
    package.fallback_version = made.fallback_version;
    package.published_ms = now_ms - (30 - 10 * number) * kDayMs;
    FERRY_TRY(tx.packages().Put(package));
    ReleaseRow release;
    release.id = fmt::format("{}-{}-{}", kFilledPackage, made.version, number);
    release.tenant = tenant;
    release.package = kFilledPackage;
    release.version = made.version;
    release.release_counter = number;
    release.fallback_version = made.fallback_version;
    release.plan_json = WriteJson({{"rule", "all"},
                                   {"stages",
                                    {{{"kind", "beta"}, {"who", "tag(\"beta\")"}},
                                     {{"kind", "gray"}, {"percent", 30}, {"hold", true}},
                                     {{"kind", "full"}}}}});
    // The gates go on looking at what is paused: what failed shall not take it back by itself.
    release.settings_json = "{\"tolerated_rate\":0.05}";
    release.salt = "filled";
    release.state = made.state;
    release.paused_from = ReleaseState::kGray;
    release.stage = 1;
    release.stage_since_ms = package.published_ms;
    release.paused_ms = now_ms;
    release.reason = made.reason;
    release.created_ms = package.published_ms;
    release.number = number;
    FERRY_TRY(tx.releases().Put(release));
    for (int64_t stage = 0; stage < 3; ++stage)
      FERRY_TRY(tx.releases().PutStage({release.id, stage, stage < 2 ? release.created_ms : 0,
                                        stage == 0 ? release.created_ms + kDayMs : 0}));
    EventRow event;
    event.release = release.id;
    event.seq = 1;
    event.time_ms = release.created_ms;
    event.kind = "created";
    event.text = "filled with made-up members";
    FERRY_TRY(tx.releases().AddEvent(event));
  }
  GroupRow staff, old;
  staff.name = kFilledGroup;
  staff.created_ms = now_ms;
  old.name = "old-apps";
  old.rule = "app_version < \"2.0.0\"";
  old.created_ms = now_ms;
  FERRY_TRY(tx.groups().Put(staff));
  return tx.groups().Put(old);
}

// The device as a member of the releases that reached it; the last one that did well runs.
Status AddMembers(Transaction& tx, Draw& draw, const DeviceRow& device, Tallies* tallies,
                  int64_t* count) {
  std::string runs;
  for (size_t i = 0; i < kReleaseCount; ++i) {
    const FilledRelease& made = kReleases[i];
    if (device.blocked || !draw.Percent(made.percent)) continue;
    MemberRow member;
    member.release = fmt::format("{}-{}-{}", kFilledPackage, made.version, i + 1);
    member.device = device.id;
    member.stage = device.tags == std::vector<std::string>{"beta"} ? 0 : 1;
    member.offered_ms = device.last_seen_ms - draw.Below(kDayMs);
    const bool failed = draw.Percent(made.failed_percent);
    member.outcome = failed ? Outcome::kFailed : Outcome::kHealthy;
    member.done = true;
    member.step = failed ? "failed" : "healthy";
    member.step_ms = device.last_seen_ms;
    if (failed) {
      member.error_code = static_cast<int64_t>(Code::kInternal);
      member.error_text = "task.py, line 12: division by zero";
    }
    member.had_version = runs;
    member.os = device.os;
    member.app_version = device.app_version;
    member.device_class = device.device_class;
    member.bytes_pulled = static_cast<uint64_t>(20'000 + draw.Below(400'000));
    member.was_delta = i > 0;
    member.by_push = draw.Percent(90);
    FERRY_TRY(tx.releases().PutMember(member));
    CountMember(*tallies, member, 1);
    ++*count;
    if (!failed) runs = made.version;
  }
  if (runs.empty()) return OkStatus();
  return tx.devices().PutInstalled({device.id, kFilledPackage, runs, "", false});
}

// A month in which the second version took over from the first, and the third began.
Status AddDays(Transaction& tx, int64_t devices, int64_t now_ms) {
  for (int64_t age = kFilledDays; age >= 1; --age) {
    const int64_t day = now_ms / kDayMs - age;
    const int64_t total = devices - devices * age / (2 * kFilledDays);
    const int64_t third = age < 5 ? total * (5 - age) * 5 / 100 : 0;
    const int64_t second = (total - third) * std::min<int64_t>(95, 6 * (kFilledDays - age)) / 100;
    FERRY_TRY(
        tx.fleet().PutDay(day, {{day, "", "", total},
                                {day, kFilledPackage, kReleases[0].version, total - third - second},
                                {day, kFilledPackage, kReleases[1].version, second},
                                {day, kFilledPackage, kReleases[2].version, third}}));
  }
  return OkStatus();
}

}  // namespace

Result<Filled> FillStore(Store& store, const std::string& tenant, int64_t devices, uint64_t seed,
                         int64_t now_ms) {
  Draw draw(seed);
  Filled filled;
  FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const int64_t there, tx.devices().Count());
    if (there != 0)
      return Status::Of(Code::kFailedPrecondition, "there are {} devices already", there);
    FERRY_TRY(AddDays(tx, devices, now_ms));
    return AddPackages(tx, tenant, now_ms);
  }));
  const int64_t most = kMaxHaveTexts;
  const int64_t each = (devices + most - 1) / most;
  while (filled.devices < devices) {
    // One writer: no body is repeated, so that what was drawn is written.
    FERRY_TRY(store.Write([&](Transaction& tx) -> Status {
      Tallies tallies;
      const int64_t end = std::min(filled.devices + kDevicesAtOnce, devices);
      for (; filled.devices < end; ++filled.devices) {
        DeviceRow device = MakeFilledDevice(draw, tenant, now_ms);
        device.id = FilledId(draw, filled.devices, devices);
        if (filled.devices % each == 0) filled.some.push_back(device.id);
        FERRY_TRY(tx.devices().Put(device));
        FERRY_TRY(AddMembers(tx, draw, device, &tallies, &filled.members));
        if (filled.devices < kStaff)
          FERRY_TRY(AsStatus(tx.groups().AddDevice(kFilledGroup, device.id)));
      }
      return tx.releases().AddTallies(tallies);
    }));
  }
  return filled;
}

namespace {

// Of devices that were answered before there was any release: what comes is looked at in full.
Status WriteHaveTexts(const std::string& file, const Filled& filled, const ServerHome& home) {
  std::string lines;
  for (const std::string& device : filled.some)
    lines += SealHave(home.content_secret, {device, 0}, sys::SystemClock().NowUnixMs(),
                      sys::SystemRandom()) +
             "\n";
  return sys::WriteFileAtomically(sys::SystemFileSystem(), file, AsBytes(lines));
}

}  // namespace

Status RunFill(const FillCommand& command) {
  if (command.devices < 1 || command.devices > kMaxFillDevices)
    return Status::Of(Code::kInvalidArgument, "--devices {} is not from 1 to {}", command.devices,
                      kMaxFillDevices);
  sys::FileSystem& fs = sys::SystemFileSystem();
  Result<ServerHome> home = OpenHome(fs, command.directory);
  std::string password;
  if (home.code() == Code::kNotFound) {
    FERRY_TRY(MakeHome(fs, command.directory, ServerConfig(), sys::SystemRandom()));
    home = OpenHome(fs, command.directory);
    password = MakePassword(sys::SystemRandom());
  }
  FERRY_TRY(home.status());
  Filled filled;
  FERRY_TRY(WithAudit(*home, "ferry-server fill", "", [&](const AdminOptions& admin) -> Status {
    if (!password.empty()) FERRY_TRY(SetAdminPassword(admin, password));
    FERRY_ASSIGN_OR_RETURN(filled, FillStore(*admin.store, admin.tenant, command.devices,
                                             command.seed, admin.clock->NowUnixMs()));
    return OkStatus();
  }));
  if (!command.have.empty()) FERRY_TRY(WriteHaveTexts(command.have, filled, *home));
  if (command.json) {
    Json json = {{"dir", command.directory},
                 {"devices", filled.devices},
                 {"members", filled.members},
                 {"admin_password", password.empty() ? Json() : Json(password)}};
    std::printf("%s\n", WriteJson(json).c_str());
    return OkStatus();
  }
  std::printf("%lld devices and %lld members of releases, made up, are in %s\n",
              static_cast<long long>(filled.devices), static_cast<long long>(filled.members),
              command.directory.c_str());
  if (!password.empty()) std::printf("admin password: %s\n", password.c_str());
  std::printf("next: ferry-server run --dir %s\n", command.directory.c_str());
  return OkStatus();
}

}  // namespace ferry::server

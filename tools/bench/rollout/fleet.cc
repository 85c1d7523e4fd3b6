#include "tools/bench/rollout/fleet.h"

#include "cloud-server/rollout/new_release.h"
#include "cloud-server/store/open.h"
#include "common/base/json.h"

namespace ferry::bench {

using server::Transaction;

namespace {

constexpr char kPackage[] = "digits";
constexpr char kVersion[] = "1.0.0";
constexpr int kDevicesAtOnce = 2'000;  // of one write while the fleet is made

// Distinct profiles as fleets have them: some hundred.
server::DeviceRow MakeDevice(int index) {
  server::DeviceRow device;
  device.id =
      fmt::format("{:032x}", uint64_t{0x9e3779b97f4a7c15} * static_cast<uint64_t>(index + 1));
  device.os = index % 3 == 0 ? "ios" : "android";
  device.app_version = fmt::format("1.{}.0", index % 20);
  device.device_class = index % 7 == 0 ? "high" : "mid";
  device.reads_desired = true;
  device.identity_public = Bytes(32, static_cast<uint8_t>(index));
  device.seal_public = Bytes(32, static_cast<uint8_t>(index));
  return device;
}

void Raise(std::atomic<int64_t>* most, int64_t value) {
  for (int64_t before = *most; value > before;)
    if (most->compare_exchange_weak(before, value)) break;
}

}  // namespace

Status TimedStore::Timed(const Body& body, Status (server::Store::*write)(const Body&)) {
  // From when the body begins: what waits for other writers is not held by this one.
  int64_t begun_ns = clock_.MonotonicNs();
  const Status written = ((*store_).*write)([&](Transaction& tx) {
    begun_ns = clock_.MonotonicNs();
    const Status done = body(tx);
    Raise(&longest_statements_ns_, clock_.MonotonicNs() - begun_ns);
    return done;
  });
  Raise(&longest_ns_, clock_.MonotonicNs() - begun_ns);
  return written;
}

TimedStore::Longest TimedStore::TakeLongest() {
  return {static_cast<double>(longest_ns_.exchange(0)) / 1e6,
          static_cast<double>(longest_statements_ns_.exchange(0)) / 1e6};
}

Result<std::unique_ptr<Fleet>> Fleet::Make(const std::string& place, int devices, int nodes) {
  auto fleet = std::make_unique<Fleet>();
  FERRY_ASSIGN_OR_RETURN(auto store, server::OpenStore(place));
  fleet->store = std::make_unique<TimedStore>(std::move(store), fleet->clock);
  server::Rollout::Options options;
  options.store = fleet->store.get();
  options.bus = fleet->bus.get();
  options.clock = &fleet->clock;
  options.random = &sys::SystemRandom();
  options.ticker = fleet->ticker.get();
  options.writer = fleet->writer.get();
  fleet->rollout = std::make_unique<server::Rollout>(options);
  FERRY_TRY(fleet->AddPackage());
  FERRY_TRY(fleet->AddDevices(devices));
  for (int i = 1; i < nodes; ++i) FERRY_TRY(fleet->AddNode(place));
  return fleet;
}

Status Fleet::AddNode(const std::string& place) {
  auto node = std::make_unique<Node>();
  FERRY_ASSIGN_OR_RETURN(node->store, server::OpenStore(place));
  server::Rollout::Options options;
  options.store = node->store.get();
  options.bus = bus.get();
  options.clock = &clock;
  options.random = &sys::SystemRandom();
  options.writer = node->writer.get();
  node->rollout = std::make_unique<server::Rollout>(options);
  others.push_back(std::move(node));
  return OkStatus();
}

Fleet::Node::~Node() {
  writer.reset();
  rollout.reset();
}

Fleet::~Fleet() {
  others.clear();
  lines_.clear();
  writer.reset();  // waits for what it is at
  rollout.reset();
}

Status Fleet::AddPackage() {
  return store->Write([&](Transaction& tx) -> Status {
    server::PackageRow package;
    package.name = kPackage;
    package.version = kVersion;
    package.release_counter = 1;
    FERRY_TRY(tx.packages().Put(package));
    server::ArtefactRow artefact;
    artefact.path = "digits/1.0.0/full";
    artefact.package = kPackage;
    artefact.version = kVersion;
    artefact.kind = "full";
    return tx.packages().PutArtefact(artefact);
  });
}

Status Fleet::AddDevices(int count) {
  for (int first = 0; first < count; first += kDevicesAtOnce)
    FERRY_TRY(store->Write([&](Transaction& tx) -> Status {
      std::vector<server::DeviceRow> rows;
      for (int i = first; i < std::min(first + kDevicesAtOnce, count); ++i)
        rows.push_back(MakeDevice(i));
      return tx.batches().PutDevices(rows);
    }));
  for (int i = 0; i < count; ++i) {
    devices.push_back(MakeDevice(i).id);
    lines_.push_back(bus->Subscribe(devices.back(), [](const std::string&, uint64_t) {}));
  }
  return OkStatus();
}

Result<std::string> Fleet::Create() {
  server::NewRelease release;
  release.package = kPackage;
  release.version = kVersion;
  release.again = true;
  release.settings = Json::object();
  release.plan = {{"rule", "os == \"android\" or os == \"ios\""},
                  {"stages", {{{"kind", "full"}, {"min_healthy_ms", 3'600'000}}}},
                  {"rate", {{"per_minute", 1'000'000}}}};  // none
  FERRY_ASSIGN_OR_RETURN(const server::ReleaseRow row, rollout->Create(release));
  return row.id;
}

Result<int64_t> Fleet::Members(const std::string& release) {
  int64_t members = 0;
  FERRY_TRY(store->Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(const server::Tallies tallies, tx.releases().TalliesOf(release));
    members = 0;
    for (const auto& [key, counts] : tallies)
      if (key.slice == "all") members += counts.members();
    return OkStatus();
  }));
  return members;
}

server::ReportRow Fleet::ReportOf(size_t device, uint64_t seq, const std::string& release) const {
  server::ReportRow report;
  report.device = devices[device];
  report.seq = seq;
  report.release = release;
  report.package = kPackage;
  report.version = kVersion;
  report.epoch = 1;
  report.step = "confirmed";
  report.received_ms = clock.NowUnixMs();
  return report;
}

}  // namespace ferry::bench

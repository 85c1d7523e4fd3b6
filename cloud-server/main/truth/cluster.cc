#include "cloud-server/main/truth/cluster.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cloud-server/bus/bus.h"
#include "cloud-server/main/truth/claim.h"
#include "cloud-server/rollout/counts/recount.h"
#include "cloud-server/store/open.h"

namespace ferry::server {
namespace {

constexpr size_t kBusLetters = 16;  // of the authority's pin

Status LookAtAudit(Store& store, ClusterView& view) {
  FERRY_ASSIGN_OR_RETURN(const AuditCheck chain, CheckAudit(store));
  view.json["audit_rows"] = chain.rows;
  if (chain.broken_seq != 0)
    view.problems.push_back(
        fmt::format("audit: the chain breaks at row {}: {}", chain.broken_seq, chain.broken));
  return OkStatus();
}

Status LookAtCounts(Store& store, ClusterView& view) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> releases, ReleasesToCount(store));
  view.json["releases_counted"] = releases.size();
  for (const std::string& release : releases) {
    bool same = true;
    FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
      FERRY_ASSIGN_OR_RETURN(const Recounted anew, CountAnew(tx, release));
      same = anew.same;
      return OkStatus();
    }));
    if (!same)
      view.problems.push_back(fmt::format(
          "release {}: its counts are not those of its members; a running server mends them within "
          "an hour",
          release));
  }
  return OkStatus();
}

// Of a node that was stopped its row is gone: one that is silent was killed, or cannot reach the
// database.
void AddNodes(const std::vector<NodeRow>& nodes, ClusterView& view) {
  view.json["nodes"] = Json::array();
  for (const NodeRow& node : nodes) {
    const bool serves = node.silent_ms < kNodeGoneMs;
    view.json["nodes"].push_back({{"name", node.name},
                                  {"host", node.host},
                                  {"version", node.version},
                                  {"schema", node.schema},
                                  {"started_ms", node.started_ms},
                                  {"silent_ms", node.silent_ms},
                                  {"serves", serves}});
    if (!serves)
      view.problems.push_back(fmt::format("node {}: nothing was heard of it for {} s", node.host,
                                          node.silent_ms / 1000));
  }
}

Status LookAtNodes(Store& store, ClusterView& view) {
  int64_t database_ms = 0;
  std::vector<LeaseRow> leases;
  std::vector<NodeRow> nodes;
  FERRY_TRY(store.Read([&](Transaction& tx) -> Status {
    FERRY_ASSIGN_OR_RETURN(database_ms, tx.leases().NowMs());
    FERRY_ASSIGN_OR_RETURN(leases, tx.leases().All());
    FERRY_ASSIGN_OR_RETURN(nodes, tx.nodes().All());
    return OkStatus();
  }));
  const int64_t off_ms = sys::SystemClock().NowUnixMs() - database_ms;
  view.json["clock_off_ms"] = off_ms;
  if (std::abs(off_ms) > kMaxClockOffMs)
    view.problems.push_back(
        fmt::format("clock: this machine's is {} s from the database's, at most {} "
                    "are allowed",
                    off_ms / 1000, kMaxClockOffMs / 1000));
  view.json["leases"] = Json::array();
  for (const LeaseRow& lease : leases)
    view.json["leases"].push_back({{"name", lease.name},
                                   {"holder", lease.holder},
                                   {"number", lease.number},
                                   {"held", lease.until_ms > database_ms}});
  AddNodes(nodes, view);
  return OkStatus();
}

}  // namespace

std::string BusNameOf(const ServerHome& home) {
  return home.authority_pin.substr(home.authority_pin.find(':') + 1).substr(0, kBusLetters);
}

Result<ClusterView> LookAtCluster(const ServerHome& home, const std::string& bus) {
  ClusterView view;
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(home.StorePlace()));
  if (const Status owned = CheckTruth(*store, home.StorePlace(), home); !owned.ok())
    view.problems.push_back("database: " + owned.message());
  FERRY_TRY(LookAtAudit(*store, view));
  FERRY_TRY(LookAtCounts(*store, view));
  FERRY_TRY(LookAtNodes(*store, view));
  if (bus.empty()) return view;
  const auto connected = ConnectNatsBus(bus, BusNameOf(home));
  view.json["bus"] = connected.ok() ? "ok" : "away";
  if (!connected.ok()) view.problems.push_back("bus: " + connected.status().message());
  return view;
}

Result<std::unique_ptr<BucketBeside>> BucketBeside::Open(const std::string& url) {
  std::string folder = (std::filesystem::temp_directory_path() / "ferry-bucket-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    return Status::Of(Code::kIo, "no folder can be made at {}", folder);
  std::unique_ptr<BucketBeside> bucket(new BucketBeside(folder));
  FERRY_ASSIGN_OR_RETURN(
      bucket->blobs_, OpenS3BlobStore(url, sys::SystemFileSystem(), folder, sys::SystemRandom()));
  return bucket;
}

BucketBeside::~BucketBeside() {
  blobs_.reset();
  (void)sys::SystemFileSystem().RemoveTree(spool_);
}

}  // namespace ferry::server

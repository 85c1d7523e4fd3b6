// Whether a server's nodes and what they stand on are whole: for `ferry-server check`, beside nodes
// that run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cloud-server/blob/blob.h"
#include "cloud-server/main/home.h"
#include "common/base/json.h"

namespace ferry::server {

inline constexpr int64_t kMaxClockOffMs = 5'000;  // of a node, from the database's

struct ClusterView {
  std::vector<std::string> problems;  // a sentence each
  Json json;  // {"audit_rows","releases_counted","clock_off_ms","leases"[],"nodes"[],"bus"}
};
// Whose the rows are, the audit chain, counts against their members, the clock, and with `bus` (an
// address; may be empty) whether it answers. Changes nothing. The schema is this program's.
Result<ClusterView> LookAtCluster(const ServerHome& home, const std::string& bus);

// What a cluster of one authority is called on a bus that others use too.
std::string BusNameOf(const ServerHome& home);

// A bucket, with a folder of its own for what is on its way: a node's is left alone.
class BucketBeside {
 public:
  static Result<std::unique_ptr<BucketBeside>> Open(const std::string& url);
  ~BucketBeside();
  BucketBeside(const BucketBeside&) = delete;
  BlobStore* blobs() const { return blobs_.get(); }

 private:
  explicit BucketBeside(std::string spool) : spool_(std::move(spool)) {}
  const std::string spool_;
  std::unique_ptr<BlobStore> blobs_;
};

}  // namespace ferry::server

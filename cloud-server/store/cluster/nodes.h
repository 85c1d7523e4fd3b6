// Which nodes serve from a database, each with the schema it was made for: a step of the schema
// that would leave one of them behind waits until it is gone. Of PostgreSQL alone: a server on
// SQLite is the only one, and none of this says anything there.
// ---- ../sql/operators/nodes.cc
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace ferry::server {

inline constexpr int64_t kNodeBeatMs = 5'000;
inline constexpr int64_t kNodeGoneMs = 30'000;  // without a beat it serves no more
inline constexpr int64_t kNodeForgottenMs = 3'600'000;

struct NodeRow {
  std::string name;     // of one run of a server
  std::string host;     // the machine's name and the devices' port, for people
  std::string version;  // of the program
  int64_t schema = 0;   // the newest that the program knows
  int64_t started_ms = 0;
  int64_t silent_ms = 0;  // since its last beat, by the database's clock
};

class NodeRepository {
 public:
  virtual ~NodeRepository() = default;
  // The first beat of `row`: runs of the same host before it are over.
  virtual Status Arrive(const NodeRow& row) = 0;
  // A beat of `row`, whether or not it is there; nodes that were not heard of for kNodeForgottenMs
  // go.
  virtual Status Beat(const NodeRow& row) = 0;
  virtual Status Leave(const std::string& name) = 0;
  virtual Result<std::vector<NodeRow>> All() = 0;  // by host, then name
  // The oldest schema whose programs may use the database as it is now.
  virtual Result<int64_t> OldestServed() = 0;
};

}  // namespace ferry::server

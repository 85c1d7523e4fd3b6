// One stream of a graph: a chain of operators, where its rows come from and where they go.
// Internal to the room.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/graph/graph.h"
#include "pipeline/operator/operator.h"

namespace ferry::graph {

inline constexpr int64_t kNeverMs = std::numeric_limits<int64_t>::min();
inline constexpr size_t kFirstOperator = 0;

class Stream {
 public:
  // Who takes this stream's rows, at which of its operators; `second` as that one's second source.
  struct Reader {
    Stream* stream = nullptr;
    size_t at = kFirstOperator;
    bool second = false;
  };

  // A row from outside, or from a stream before this one.
  Status Push(const event::Row& row, size_t at, bool second, std::vector<Output>* out);
  // Pushed input has come to `time_ms`.
  void Reach(int64_t time_ms, std::vector<Output>* out);
  // Moves the watermark as far as the inputs allow.
  void Follow(std::vector<Output>* out);
  void Advance(int64_t to_ms, std::vector<Output>* out);
  void Flush(std::vector<Output>* out);
  // By the wall; see Graph::Advance.
  void CloseIdle(int64_t now_ms, std::vector<Output>* out);
  // The host's time from which CloseIdle may close something if no row comes; INT64_MAX: never.
  int64_t NextIdle() const;
  // No row below this time comes from the windows that are open here or before; kNeverMs: none is
  // open.
  int64_t Frontier() const;
  // Host time of the last row here or before.
  int64_t LastPush() const;
  StreamStats stats() const;

  // The spec.
  std::string name;
  std::vector<std::string> sources;
  Json operators;  // the list in the spec
  bool upload = false, realtime = false, app = false;
  std::string into, to;
  operators::TableWriter* writer = nullptr;
  int64_t idle_ms = kDefaultIdleMs;

  // What Build makes of it.
  std::vector<std::unique_ptr<operators::Operator>> chain;
  int64_t lateness_ms = 0;
  std::vector<Reader> readers;
  std::vector<const Stream*> upstreams;  // each once
  uint64_t digest = 0;                   // of all that the state depends on

  // What changes.
  int64_t seen_ms = kNeverMs;  // latest event time that was pushed
  int64_t watermark_ms = kNeverMs;
  int64_t last_push_ms = 0;  // host time of the last row
  bool resumed = false;      // from state, and no host time is known yet
  int64_t rows_in = 0, rows_out = 0, errors = 0, future = 0, state_reset = 0;
  std::string last_error;
  std::string saved;  // the stream's own pair as the state has it

 private:
  void Note(const Status& status);
  // `own` is the row where it may be moved from, else null.
  Status Run(size_t first, const event::Row& row, event::Row* own, std::vector<Output>* out);
  // Moves from the rows and leaves the list empty.
  Status RunAll(size_t first, std::vector<event::Row>& rows, std::vector<Output>* out);
  Status Leave(const event::Row& row, event::Row* own, std::vector<Output>* out);
  int64_t NextClose() const;

  std::vector<event::Row> closed_;  // by Advance, which no stream enters again before it is done
};

struct Graph::Impl {
  std::vector<std::unique_ptr<Stream>> streams;  // in the order of the spec
  std::vector<Stream*> order;                    // each behind those that it reads
  using Sources = std::map<std::string, std::vector<Stream::Reader>, std::less<>>;
  Sources sources;
  Sources::iterator last_source = sources.end();  // of the last push
  int64_t max_ahead_ms = kDefaultMaxAheadMs;
  operators::Surroundings around;
  std::vector<std::string> stale;  // keys of state that belong to nothing here
};

// ---- build.cc
// Reads the specs and ties streams to their sources.
Status BuildStreams(const Json& streams, const operators::Surroundings& around,
                    std::vector<std::unique_ptr<Stream>>* out, std::vector<Stream*>* order);

}  // namespace ferry::graph

// A task's streams: rows that the script emits go through operators, and what leaves a stream goes
// to the outbox if the stream says so. One thread at a time. Source: watermarks after the Dataflow
// model (VLDB 2015).
//
// Watermark of a stream = the latest event time seen - the largest allowed lateness of its windows.
// When rows stop, windows close by the wall: after `idle_ms` without a row, event time is taken to
// go on at the pace of the host's clock from the last row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "pipeline/event/event.h"

namespace ferry::graph {

inline constexpr size_t kMaxStreams = 64;
inline constexpr size_t kMaxOperators = 16;  // of one stream
inline constexpr int64_t kDefaultIdleMs = 10'000;

// A row that left a stream.
struct Output {
  std::string stream;
  bool upload = false;
  event::Row row;
};

struct StreamStats {
  std::string stream;
  int64_t rows_in = 0;
  int64_t rows_out = 0;
  int64_t late = 0;
  int64_t refused = 0;
  int64_t errors = 0;  // rows that an operator could not take
  std::string last_error;
};

class Graph {
 public:
  // [{"name":..,"source":..,"operators":[..],"upload":bool,"idle_ms":n}, ..]: each stream takes the
  // rows emitted under the name `source`. Null or [] is a graph without streams. kMalformed names
  // stream and operator; kAlreadyExists for two streams of one name.
  static Result<std::unique_ptr<Graph>> Build(const Json& streams);
  ~Graph();

  // One emitted row to every stream with this source. Errors of rows are counted per stream (see
  // stats) and returned as the first of them; the other streams still got the row. kNotFound when
  // no stream has this source. `now_ms` is the host's monotonic time.
  Status Push(std::string_view source, const event::Row& row, int64_t now_ms,
              std::vector<Output>* out);
  // Closes windows of streams that were idle for long enough.
  void Advance(int64_t now_ms, std::vector<Output>* out);
  // Moves every stream's watermark to at least `watermark_ms` (event time).
  void AdvanceWatermark(int64_t watermark_ms, std::vector<Output>* out);
  // The end: all open windows close.
  void Flush(std::vector<Output>* out);

  bool HasSource(std::string_view source) const;
  std::vector<StreamStats> stats() const;

 private:
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::graph

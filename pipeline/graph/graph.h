// Streams: rows of a source go through operators, and what leaves a stream goes where the stream
// says: up the tunnel, into a table, to a function, to the app, and to the streams that have it as
// their source. One thread at a time. Source: watermarks after the Dataflow model (VLDB 2015).
//
// A source is a name under which rows are pushed (what a script emits under it, an event id, a
// rule's name) or the name of another stream. A stream whose source is its own name takes what is
// pushed under it.
//
// Watermark of a stream = how far its input has come - the largest allowed lateness of its
// operators. Input that is pushed has come as far as the latest event time seen, input from a
// stream as far as that stream's watermark; of several inputs that have begun, the one that is
// furthest behind counts. When rows stop, windows close by the wall: after `idle_ms` without a row,
// event time is taken to go on at the pace of the host's clock from the last row.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"
#include "pipeline/event/event.h"
#include "pipeline/event/state.h"
#include "pipeline/operator/operator.h"

namespace ferry::graph {

inline constexpr size_t kMaxStreams = 64;
inline constexpr size_t kMaxOperators = 16;  // of one stream
inline constexpr size_t kMaxSources = 16;    // of one stream
inline constexpr int64_t kDefaultIdleMs = 10'000;
inline constexpr int64_t kDefaultMaxAheadMs = 300'000;
inline constexpr int64_t kNoArrival = std::numeric_limits<int64_t>::min();

// A row that left a stream.
struct Output {
  std::string stream;
  bool upload = false;
  event::Row row;
  bool realtime = false;  // "upload": "realtime"
  std::string into;       // a table; empty: none
  std::string to;         // a function of a task; empty: none
  bool app = false;
};

struct StreamStats {
  std::string stream;
  int64_t rows_in = 0;
  int64_t rows_out = 0;
  int64_t late = 0;
  int64_t refused = 0;
  int64_t errors = 0;  // rows that an operator could not take
  std::string last_error;
  int64_t future = 0;  // rows dated too far ahead, which got their arrival time
  int64_t missing_exits = 0;
  int64_t missing_enters = 0;
  int64_t small = 0;        // windows that min_rows kept back
  int64_t state_reset = 0;  // how often kept state was of another definition, or damaged
};

class Graph {
 public:
  using Pair = std::pair<std::string, std::string>;  // of state: key, value

  // [{"name","source":name or [names],"operators":[..],"upload":bool or "realtime","into":table,
  // "to":function,"app":bool,"idle_ms"}, ..]. Null or [] is a graph without streams. kMalformed
  // names stream and operator, or the streams of a circle; kAlreadyExists for two of one name. What
  // `around` points to outlives the graph.
  static Result<std::unique_ptr<Graph>> Build(const Json& streams,
                                              const operators::Surroundings& around = {});
  // What Build takes and is still no good: a line for each stream that leads nowhere, because it
  // has no upload, into, to or app, no stream reads it, and it is not among `readers` (sources that
  // rules read).
  static Result<std::vector<std::string>> Check(const Json& streams,
                                                std::span<const std::string> readers = {});
  ~Graph();

  // One row to every stream with this source. Errors of rows are counted per stream (see stats) and
  // returned as the first of them; the other streams still got the row. kNotFound when no stream
  // has this source; kMalformed for a time that is not within 2^53 of 0. `now_ms` is the host's
  // monotonic time. With `arrival_ms`, the wall's time when the row came, a row that is dated more
  // than max_ahead_ms later gets that time, so that no row moves a watermark far ahead.
  Status Push(std::string_view source, const event::Row& row, int64_t now_ms,
              std::vector<Output>* out, int64_t arrival_ms = kNoArrival);
  // Closes windows of streams that were idle for long enough.
  void Advance(int64_t now_ms, std::vector<Output>* out);
  // The host's time at which Advance may next close a window of a stream whose idle_ms is less than
  // `below_ms`, if no row comes before; INT64_MAX: it will not. A window that waits for one of a
  // stream before it closes later than that.
  int64_t next_idle_ms(int64_t below_ms = std::numeric_limits<int64_t>::max()) const;
  // Moves every stream's watermark to at least `watermark_ms` (event time).
  void AdvanceWatermark(int64_t watermark_ms, std::vector<Output>* out);
  // The end: all open windows close. A clean stop is no end: windows outlive it in the state.
  void Flush(std::vector<Output>* out);

  // Whether rows can be pushed under this name.
  bool HasSource(std::string_view source) const;
  // By stream, in the order of the spec.
  std::vector<StreamStats> stats() const;
  void set_max_ahead_ms(int64_t max_ahead_ms);

  // ---- state.cc
  // Writes what changed since the last call; all there is after the first one on a new graph.
  void SaveChanges(event::StateWriter& out);
  // The pairs that SaveChanges of a graph left behind, on a graph that was just built. What belongs
  // to no stream here, to another definition of one (operators, sources and those of the streams
  // before it), or is damaged, is dropped, counted as `state_reset` and deleted by the next
  // SaveChanges; the rest goes on as if there had been no pause.
  void Load(std::span<const Pair> pairs);

 private:
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ferry::graph

// The calls of ferry.h on streams without a package.
#include <deque>
#include <limits>
#include <mutex>

#include "common/base/json.h"
#include "common/sys/clock.h"
#include "device-runtime/api/support/handles.h"
#include "pipeline/event/event.h"
#include "pipeline/graph/graph.h"

struct ferry_stream {
  std::mutex mutex;
  std::unique_ptr<ferry::graph::Graph> graph;
  std::deque<ferry::graph::Output> rows;  // that nobody has read yet
};

namespace {

using ferry::Code;
using ferry::Json;
using ferry::Result;
using ferry::Status;
using ferry::api::GiveText;
using ferry::api::Missing;
using ferry::api::Return;
using ferry::graph::Output;

constexpr size_t kMaxWaitingRows = 100'000;
constexpr int64_t kNsPerMs = 1'000'000;

// Keeps what is for the app.
void Keep(ferry_stream& stream, std::vector<Output> out) {
  for (Output& one : out)
    if (one.app) stream.rows.push_back(std::move(one));
}

Status Push(ferry_stream& stream, std::string_view source, ferry::event::Row row) {
  const std::lock_guard lock(stream.mutex);
  if (stream.rows.size() >= kMaxWaitingRows) {
    return Status::Of(Code::kLimitExceeded, "{} rows wait for ferry_stream_read",
                      stream.rows.size());
  }
  const ferry::sys::Clock& clock = ferry::sys::SystemClock();
  if (row.time_ms == 0) row.time_ms = clock.NowUnixMs();
  std::vector<Output> out;
  const int64_t now_ms = clock.MonotonicNs() / kNsPerMs;
  stream.graph->Advance(now_ms, &out);
  const Status pushed = stream.graph->Push(source, row, now_ms, &out);
  Keep(stream, std::move(out));
  return pushed;
}

Result<ferry::event::Row> ReadRow(const char* text) {
  FERRY_ASSIGN_OR_RETURN(Json json, ferry::ParseJson(text));
  if (!json.is_object()) return Status(Code::kMalformed, "a row is an object");
  ferry::event::Row row;
  if (const auto time = json.find("time_ms"); time != json.end()) {
    if (!time->is_number_integer())
      return Status(Code::kMalformed, "time_ms is no whole number of milliseconds");
    row.time_ms = time->get<int64_t>();
    json.erase(time);
  }
  row.fields = std::move(json);
  return row;
}

Result<Json> ReadStreams(const char* text) {
  FERRY_ASSIGN_OR_RETURN(Json streams, ferry::ParseJson(text));
  if (!streams.is_array() || streams.empty())
    return Status(Code::kMalformed, "a list of at least one stream is due");
  return streams;
}

}  // namespace

extern "C" {

int ferry_stream_open(const char* streams_json, ferry_stream** out) {
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  if (streams_json == nullptr) return Missing("streams_json");
  const auto streams = ReadStreams(streams_json).Context("streams");
  if (!streams.ok()) return Return(streams.status());
  auto graph = ferry::graph::Graph::Build(*streams);
  if (!graph.ok()) return Return(graph.status());
  auto made = std::make_shared<ferry_stream>();
  made->graph = std::move(*graph);
  return Return(ferry::api::Open(std::move(made), out));
}

void ferry_stream_close(ferry_stream* stream) {
  ferry::api::Close(stream);
}

int ferry_stream_send(ferry_stream* stream, const char* source, const char* row_json) {
  FERRY_FIND(ferry_stream, self, stream);
  if (source == nullptr) return Missing("source");
  if (row_json == nullptr) return Missing("row_json");
  auto row = ReadRow(row_json).Context("row");
  return Return(row.ok() ? Push(*self, source, std::move(*row)) : row.status());
}

int ferry_stream_send_event(ferry_stream* stream, const char* event_json) {
  FERRY_FIND(ferry_stream, self, stream);
  if (event_json == nullptr) return Missing("event_json");
  auto event = ferry::event::ParseEvent(event_json).Context("event");
  if (!event.ok()) return Return(event.status());
  return Return(Push(*self, event->id, ferry::event::RowOfEvent(*event)));
}

int ferry_stream_advance(ferry_stream* stream, int64_t time_ms) {
  FERRY_FIND(ferry_stream, self, stream);
  const std::lock_guard lock(self->mutex);
  std::vector<Output> out;
  if (time_ms < 0)
    self->graph->Flush(&out);
  else
    self->graph->AdvanceWatermark(time_ms, &out);
  Keep(*self, std::move(out));
  return Return(ferry::OkStatus());
}

int ferry_stream_read(ferry_stream* stream, size_t most, char** rows_json) {
  if (rows_json == nullptr) return Missing("rows_json");
  *rows_json = nullptr;
  FERRY_FIND(ferry_stream, self, stream);
  const std::lock_guard lock(self->mutex);
  std::vector<Output> out;
  self->graph->Advance(ferry::sys::SystemClock().MonotonicNs() / kNsPerMs, &out);
  Keep(*self, std::move(out));
  if (most == 0) most = std::numeric_limits<size_t>::max();
  Json rows = Json::array();
  for (; !self->rows.empty() && rows.size() < most; self->rows.pop_front()) {
    Output& one = self->rows.front();
    one.row.fields["time_ms"] = one.row.time_ms;
    rows.push_back({{"stream", one.stream}, {"row", std::move(one.row.fields)}});
  }
  return GiveText(ferry::WriteJson(rows), rows_json);
}

int ferry_stream_status(ferry_stream* stream, char** json) {
  if (json == nullptr) return Missing("json");
  *json = nullptr;
  FERRY_FIND(ferry_stream, self, stream);
  const std::lock_guard lock(self->mutex);
  Json out = Json::object();
  for (const auto& one : self->graph->stats())
    out[one.stream] = {{"rows_in", one.rows_in}, {"rows_out", one.rows_out},
                       {"late", one.late},       {"refused", one.refused},
                       {"errors", one.errors},   {"last_error", one.last_error}};
  return GiveText(ferry::WriteJson(out), json);
}

}  // extern "C"

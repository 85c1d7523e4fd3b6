#include "pipeline/graph/stream.h"

#include <algorithm>

#include "pipeline/operator/table_reader.h"

namespace ferry::graph {

using event::Row;

void Stream::Note(const Status& status) {
  if (status.ok()) return;
  ++errors;
  last_error = status.ToString();
}

Status Stream::Push(const Row& row, size_t at, bool second, std::vector<Output>* out) {
  ++rows_in;
  if (!second) return Run(at, row, nullptr, out);
  std::vector<Row> rows;
  const Status status = chain[at]->PushSecond(row, &rows).Context("operator {}", at + 1);
  Note(status);
  const Status later = RunAll(at + 1, rows, out);
  return status.ok() ? later : status;
}

// Gates pass the row itself on; the first operator that makes rows ends that.
Status Stream::Run(size_t first, const Row& row, Row* own, std::vector<Output>* out) {
  for (size_t k = first; k < chain.size(); ++k) {
    if (chain[k]->is_gate()) {
      auto passes = chain[k]->Admit(row).Context("operator {}", k + 1);
      if (!passes.ok()) {
        Note(passes.status());
        return passes.status();
      }
      if (!*passes) return OkStatus();
      continue;
    }
    std::vector<Row> rows;
    const Status status = chain[k]->Push(row, &rows);
    if (status.ok() && rows.empty()) return OkStatus();
    const Status named = status.Context("operator {}", k + 1);
    Note(named);
    const Status later = RunAll(k + 1, rows, out);
    return named.ok() ? later : named;
  }
  return Leave(row, own, out);
}

Status Stream::RunAll(size_t first, std::vector<Row>& rows, std::vector<Output>* out) {
  Status worst;
  for (Row& row : rows) {
    const Status status = Run(first, row, &row, out);
    if (worst.ok()) worst = status;
  }
  rows.clear();
  return worst;
}

Status Stream::Leave(const Row& row, Row* own, std::vector<Output>* out) {
  ++rows_out;
  // At once, so that the streams behind see it.
  if (!into.empty() && writer != nullptr) writer->Put(name, into, row.fields);
  if (own != nullptr && readers.empty()) {
    out->push_back({name, upload, std::move(*own), realtime, into, to, app});
    return OkStatus();
  }
  out->push_back({name, upload, row, realtime, into, to, app});
  Status worst;
  for (const Reader& reader : readers) {
    const Status status = reader.stream->Push(row, reader.at, reader.second, out)
                              .Context("stream {}", reader.stream->name);
    if (worst.ok()) worst = status;
  }
  return worst;
}

void Stream::Reach(int64_t time_ms, std::vector<Output>* out) {
  if (time_ms <= seen_ms) return;
  seen_ms = time_ms;
  Follow(out);
}

void Stream::Follow(std::vector<Output>* out) {
  int64_t input_ms = seen_ms;
  for (const Stream* stream : upstreams)
    if (stream->watermark_ms != kNeverMs)
      input_ms =
          input_ms == kNeverMs ? stream->watermark_ms : std::min(input_ms, stream->watermark_ms);
  if (input_ms != kNeverMs) Advance(input_ms - lateness_ms, out);
}

void Stream::Advance(int64_t to_ms, std::vector<Output>* out) {
  if (to_ms <= watermark_ms) return;
  watermark_ms = to_ms;
  for (size_t k = 0; k < chain.size(); ++k) {
    if (chain[k]->is_gate()) {
      Note(chain[k]->Advance(to_ms, nullptr));
      continue;
    }
    Note(chain[k]->Advance(to_ms, &closed_));
    if (!closed_.empty()) (void)RunAll(k + 1, closed_, out);  // Run has counted the errors
  }
  for (const Reader& reader : readers) reader.stream->Follow(out);
}

void Stream::Flush(std::vector<Output>* out) {
  for (size_t k = 0; k < chain.size(); ++k) {
    std::vector<Row> rows;
    Note(chain[k]->Flush(&rows));
    (void)RunAll(k + 1, rows, out);
  }
}

// The earliest end of an open window.
int64_t Stream::NextClose() const {
  int64_t earliest = kNeverMs;
  for (const auto& op : chain)
    if (const int64_t at = op->next_close_ms(); at != 0)
      earliest = earliest == kNeverMs ? at : std::min(earliest, at);
  return earliest;
}

int64_t Stream::LastPush() const {
  int64_t latest = last_push_ms;
  for (const Stream* stream : upstreams) latest = std::max(latest, stream->LastPush());
  return latest;
}

int64_t Stream::Frontier() const {
  int64_t earliest = NextClose();
  for (const Stream* stream : upstreams)
    if (const int64_t at = stream->Frontier(); at != kNeverMs)
      earliest = earliest == kNeverMs ? at : std::min(earliest, at);
  return earliest;
}

void Stream::CloseIdle(int64_t now_ms, std::vector<Output>* out) {
  if (resumed) {
    resumed = false;
    last_push_ms = now_ms;
  }
  const int64_t idle_for_ms = now_ms - LastPush();
  const int64_t come_ms =
      std::max(seen_ms, watermark_ms == kNeverMs ? kNeverMs : watermark_ms + lateness_ms);
  if (come_ms == kNeverMs || idle_for_ms < idle_ms) return;
  int64_t reached_ms = come_ms + idle_for_ms - lateness_ms;
  // What is open before may still give a row of the last millisecond before its end.
  for (const Stream* stream : upstreams)
    if (const int64_t at = stream->Frontier(); at != kNeverMs)
      reached_ms = std::min(reached_ms, at - 1 - lateness_ms);
  // Only to the ends of open windows: a row that comes after the pause is late for those alone.
  for (int64_t close = NextClose();
       close != kNeverMs && close <= reached_ms && close > watermark_ms; close = NextClose())
    Advance(close, out);
}

int64_t Stream::NextIdle() const {
  const int64_t close = NextClose();
  const int64_t come_ms =
      std::max(seen_ms, watermark_ms == kNeverMs ? kNeverMs : watermark_ms + lateness_ms);
  if (resumed || close == kNeverMs || come_ms == kNeverMs || close <= watermark_ms)
    return std::numeric_limits<int64_t>::max();
  return LastPush() + std::max(idle_ms, close + lateness_ms - come_ms);
}

StreamStats Stream::stats() const {
  StreamStats out;
  out.stream = name;
  out.rows_in = rows_in;
  out.rows_out = rows_out;
  out.errors = errors;
  out.last_error = last_error;
  out.future = future;
  out.state_reset = state_reset;
  for (const auto& op : chain) {
    const operators::Losses losses = op->losses();
    out.late += losses.late;
    out.refused += losses.refused;
    out.missing_exits += losses.missing_exits;
    out.small += losses.small;
    out.missing_enters += losses.missing_enters;
  }
  return out;
}

}  // namespace ferry::graph

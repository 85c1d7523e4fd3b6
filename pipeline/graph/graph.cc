#include "pipeline/graph/graph.h"

#include <algorithm>
#include <limits>

#include "pipeline/operator/operator.h"

namespace ferry::graph {
namespace {

using event::Row;
using operators::Operator;

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

// One stream: a chain of operators.
struct Stream {
  std::string name, source;
  bool upload = false;
  int64_t idle_ms = kDefaultIdleMs;
  std::vector<std::unique_ptr<Operator>> chain;
  int64_t lateness_ms = 0;
  int64_t seen_ms = kNever;  // latest event time
  int64_t watermark_ms = kNever;
  int64_t last_push_ms = 0;  // host time of the last row
  int64_t rows_in = 0, rows_out = 0, errors = 0;
  std::string last_error;

  void Note(const Status& status) {
    if (status.ok()) return;
    ++errors;
    last_error = status.ToString();
  }

  // Gives rows to operator `first` and on; what leaves the last one goes out.
  Status Run(size_t first, std::vector<Row> rows, std::vector<Output>* out) {
    Status worst;
    for (size_t k = first; k < chain.size() && !rows.empty(); ++k) {
      std::vector<Row> next;
      for (const Row& row : rows) {
        const Status status = chain[k]->Push(row, &next).Context("operator {}", k + 1);
        Note(status);
        if (worst.ok()) worst = status;
      }
      rows = std::move(next);
    }
    for (Row& row : rows) {
      ++rows_out;
      out->push_back({name, upload, std::move(row)});
    }
    return worst;
  }

  void Advance(int64_t to_ms, std::vector<Output>* out) {
    if (to_ms <= watermark_ms) return;
    watermark_ms = to_ms;
    for (size_t k = 0; k < chain.size(); ++k) {
      std::vector<Row> rows;
      Note(chain[k]->Advance(to_ms, &rows));
      (void)Run(k + 1, std::move(rows), out);  // Run has counted the errors
    }
  }

  // The earliest end of an open window; kNever when none is open.
  int64_t NextClose() const {
    int64_t earliest = kNever;
    for (const auto& op : chain)
      if (const int64_t at = op->next_close_ms(); at != 0)
        earliest = earliest == kNever ? at : std::min(earliest, at);
    return earliest;
  }
};

Status ReadOperators(const Json& json, Stream* stream) {
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArrayOrNull(json, "operators"));
  if (list == nullptr) return OkStatus();
  if (list->size() > kMaxOperators)
    return Status::Of(Code::kLimitExceeded, "{} operators, the limit is {}", list->size(),
                      kMaxOperators);
  for (const Json& spec : *list) {
    auto made = operators::MakeOperator(spec).Context("operator {}", stream->chain.size() + 1);
    if (!made.ok()) return made.status();
    stream->lateness_ms = std::max(stream->lateness_ms, (*made)->allowed_lateness_ms());
    stream->chain.push_back(std::move(*made));
  }
  return OkStatus();
}

Status ReadStream(const Json& json, Stream* stream) {
  for (const auto& [key, value] : json.items()) {
    static constexpr std::string_view kKnown[] = {"name", "source", "operators", "upload",
                                                  "idle_ms"};
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      return Status::Of(Code::kMalformed, "there is no member \"{}\"", key);
  }
  FERRY_ASSIGN_OR_RETURN(stream->source, GetString(json, "source"));
  FERRY_TRY(event::CheckName("source", stream->source));
  FERRY_ASSIGN_OR_RETURN(stream->upload, GetBoolOr(json, "upload", false));
  FERRY_ASSIGN_OR_RETURN(stream->idle_ms, GetIntOr(json, "idle_ms", kDefaultIdleMs));
  if (stream->idle_ms <= 0) return Status(Code::kMalformed, "idle_ms is not positive");
  return ReadOperators(json, stream);
}

}  // namespace

struct Graph::Impl {
  std::vector<Stream> streams;
};

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::Build(const Json& streams) {
  auto impl = std::make_unique<Impl>();
  if (!streams.is_null() && !streams.is_array())
    return Status(Code::kMalformed, "streams is no array");
  if (streams.size() > kMaxStreams)
    return Status::Of(Code::kLimitExceeded, "{} streams, the limit is {}", streams.size(),
                      kMaxStreams);
  for (const Json& json : streams) {
    if (!json.is_object())
      return Status::Of(Code::kMalformed, "stream {} is no object", impl->streams.size() + 1);
    Stream stream;
    auto name = GetString(json, "name").Context("stream {}", impl->streams.size() + 1);
    FERRY_ASSIGN_OR_RETURN(stream.name, std::move(name));
    FERRY_TRY(event::CheckName("name", stream.name).Context("a stream"));
    for (const Stream& other : impl->streams)
      if (other.name == stream.name)
        return Status::Of(Code::kAlreadyExists, "two streams are named {}", stream.name);
    FERRY_TRY(ReadStream(json, &stream).Context("stream {}", stream.name));
    impl->streams.push_back(std::move(stream));
  }
  return std::unique_ptr<Graph>(new Graph(std::move(impl)));
}

Status Graph::Push(std::string_view source, const Row& row, int64_t now_ms,
                   std::vector<Output>* out) {
  bool found = false;
  Status worst;
  for (Stream& stream : impl_->streams) {
    if (stream.source != source) continue;
    found = true;
    ++stream.rows_in;
    stream.last_push_ms = now_ms;
    const Status status = stream.Run(0, {row}, out).Context("stream {}", stream.name);
    if (worst.ok()) worst = status;
    stream.seen_ms = std::max(stream.seen_ms, row.time_ms);
    stream.Advance(stream.seen_ms - stream.lateness_ms, out);
  }
  if (!found) return Status::Of(Code::kNotFound, "no stream has the source {}", source);
  return worst;
}

void Graph::Advance(int64_t now_ms, std::vector<Output>* out) {
  for (Stream& stream : impl_->streams) {
    const int64_t idle_ms = now_ms - stream.last_push_ms;
    if (stream.seen_ms == kNever || idle_ms < stream.idle_ms) continue;
    const int64_t reached_ms = stream.seen_ms + idle_ms - stream.lateness_ms;
    // Only to the ends of open windows: a row that comes after the pause is late for those alone.
    for (int64_t close = stream.NextClose();
         close != kNever && close <= reached_ms && close > stream.watermark_ms;
         close = stream.NextClose())
      stream.Advance(close, out);
  }
}

void Graph::AdvanceWatermark(int64_t watermark_ms, std::vector<Output>* out) {
  for (Stream& stream : impl_->streams) stream.Advance(watermark_ms, out);
}

void Graph::Flush(std::vector<Output>* out) {
  for (Stream& stream : impl_->streams) {
    for (size_t k = 0; k < stream.chain.size(); ++k) {
      std::vector<Row> rows;
      stream.Note(stream.chain[k]->Flush(&rows));
      (void)stream.Run(k + 1, std::move(rows), out);
    }
  }
}

bool Graph::HasSource(std::string_view source) const {
  return std::any_of(impl_->streams.begin(), impl_->streams.end(),
                     [source](const Stream& stream) { return stream.source == source; });
}

std::vector<StreamStats> Graph::stats() const {
  std::vector<StreamStats> out;
  for (const Stream& stream : impl_->streams) {
    StreamStats stats{stream.name, stream.rows_in, stream.rows_out,  0,
                      0,           stream.errors,  stream.last_error};
    for (const auto& op : stream.chain) {
      stats.late += op->losses().late;
      stats.refused += op->losses().refused;
    }
    out.push_back(std::move(stats));
  }
  return out;
}

}  // namespace ferry::graph

#include "pipeline/graph/graph.h"

#include <algorithm>

#include "pipeline/graph/stream.h"

namespace ferry::graph {

using event::Row;

Graph::Graph(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Graph::~Graph() = default;

Result<std::unique_ptr<Graph>> Graph::Build(const Json& streams,
                                            const operators::Surroundings& around) {
  auto impl = std::make_unique<Impl>();
  impl->around = around;
  FERRY_TRY(BuildStreams(streams, around, &impl->streams, &impl->order));
  // Who reads another stream gets its rows from it, and not what is pushed under its name too.
  const auto pushed = [&](const Stream& reader, std::string_view source) {
    return std::none_of(impl->streams.begin(), impl->streams.end(), [&](const auto& one) {
      return one.get() != &reader && one->name == source;
    });
  };
  for (const auto& stream : impl->streams) {
    for (const std::string& source : stream->sources)
      if (pushed(*stream, source))
        impl->sources[source].push_back({stream.get(), kFirstOperator, false});
    for (size_t k = 0; k < stream->chain.size(); ++k)
      if (const std::string_view second = stream->chain[k]->second_source();
          !second.empty() && pushed(*stream, second))
        impl->sources[std::string(second)].push_back({stream.get(), k, true});
  }
  return std::unique_ptr<Graph>(new Graph(std::move(impl)));
}

Result<std::vector<std::string>> Graph::Check(const Json& streams,
                                              std::span<const std::string> readers) {
  FERRY_ASSIGN_OR_RETURN(const std::unique_ptr<Graph> graph, Build(streams));
  std::vector<std::string> out;
  for (const auto& stream : graph->impl_->streams) {
    if (stream->upload || stream->app || !stream->into.empty() || !stream->to.empty()) continue;
    if (!stream->readers.empty()) continue;
    if (std::find(readers.begin(), readers.end(), stream->name) != readers.end()) continue;
    out.push_back(
        fmt::format("stream {} without a reader: it has no upload, into, to or app, and no stream "
                    "or rule of its "
                    "task has it as its source",
                    stream->name));
  }
  return out;
}

Status Graph::Push(std::string_view source, const Row& row, int64_t now_ms,
                   std::vector<Output>* out, int64_t arrival_ms) {
  auto found = impl_->last_source;  // most rows come like the one before
  if (found == impl_->sources.end() || found->first != source)
    found = impl_->last_source = impl_->sources.find(source);
  if (found == impl_->sources.end())
    return Status::Of(Code::kNotFound, "no stream has the source {}", source);
  if (row.time_ms > event::kMaxTimeMs || row.time_ms < -event::kMaxTimeMs)
    return Status::Of(Code::kMalformed, "time_ms {} is not within 2^53 of 0", row.time_ms);
  const bool ahead = arrival_ms != kNoArrival && row.time_ms > arrival_ms + impl_->max_ahead_ms;
  Row now;
  if (ahead) {
    now = row;
    now.time_ms = arrival_ms;
  }
  const Row& used = ahead ? now : row;
  Status worst;
  for (const Stream::Reader& reader : found->second) {
    Stream& stream = *reader.stream;
    stream.last_push_ms = now_ms;
    stream.resumed = false;
    stream.future += ahead ? 1 : 0;
    const Status status = stream.Push(used, reader.at, reader.second, out);
    if (worst.ok() && !status.ok()) worst = status.Context("stream {}", stream.name);
    stream.Reach(used.time_ms, out);
  }
  return worst;
}

void Graph::Advance(int64_t now_ms, std::vector<Output>* out) {
  for (Stream* stream : impl_->order) stream->CloseIdle(now_ms, out);
}

int64_t Graph::next_idle_ms(int64_t below_ms) const {
  int64_t next = std::numeric_limits<int64_t>::max();
  for (const Stream* stream : impl_->order)
    if (stream->idle_ms < below_ms) next = std::min(next, stream->NextIdle());
  return next;
}

void Graph::AdvanceWatermark(int64_t watermark_ms, std::vector<Output>* out) {
  for (Stream* stream : impl_->order) stream->Advance(watermark_ms, out);
}

void Graph::Flush(std::vector<Output>* out) {
  for (Stream* stream : impl_->order) stream->Flush(out);
}

bool Graph::HasSource(std::string_view source) const {
  return impl_->sources.contains(source);
}

std::vector<StreamStats> Graph::stats() const {
  std::vector<StreamStats> out;
  for (const auto& stream : impl_->streams) out.push_back(stream->stats());
  return out;
}

void Graph::set_max_ahead_ms(int64_t max_ahead_ms) {
  impl_->max_ahead_ms = max_ahead_ms;
}

}  // namespace ferry::graph

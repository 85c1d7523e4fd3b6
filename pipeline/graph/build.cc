#include <algorithm>
#include <set>

#include "pipeline/graph/stream.h"
#include "pipeline/operator/members.h"
#include "pipeline/operator/value.h"

namespace ferry::graph {
namespace {

using operators::Surroundings;

Status ReadOperators(const Json& json, const Surroundings& around, Stream* stream) {
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArrayOrNull(json, "operators"));
  if (list == nullptr) return OkStatus();
  if (list->size() > kMaxOperators)
    return Status::Of(Code::kLimitExceeded, "{} operators, the limit is {}", list->size(),
                      kMaxOperators);
  stream->operators = *list;
  for (const Json& spec : *list) {
    auto made =
        operators::MakeOperator(spec, around).Context("operator {}", stream->chain.size() + 1);
    if (!made.ok()) return made.status();
    stream->lateness_ms = std::max(stream->lateness_ms, (*made)->allowed_lateness_ms());
    stream->chain.push_back(std::move(*made));
  }
  return OkStatus();
}

Status ReadSources(const Json& json, Stream* stream) {
  const auto found = json.find("source");
  if (found != json.end() && found->is_array()) {
    FERRY_ASSIGN_OR_RETURN(stream->sources, GetStrings(json, "source"));
  } else {
    FERRY_ASSIGN_OR_RETURN(std::string source, GetString(json, "source"));
    stream->sources.push_back(std::move(source));
  }
  if (stream->sources.empty()) return Status(Code::kMalformed, "source is empty");
  if (stream->sources.size() > kMaxSources)
    return Status::Of(Code::kLimitExceeded, "{} sources, the limit is {}", stream->sources.size(),
                      kMaxSources);
  std::set<std::string> seen;
  for (const std::string& source : stream->sources) {
    FERRY_TRY(event::CheckName("source", source));
    if (!seen.insert(source).second)
      return Status::Of(Code::kMalformed, "source names {} twice", source);
  }
  return OkStatus();
}

Status ReadOutputs(const Json& json, Stream* stream) {
  const auto upload = json.find("upload");
  if (upload != json.end() && upload->is_string()) {
    FERRY_ASSIGN_OR_RETURN(const std::string how, GetString(json, "upload"));
    if (how != "realtime")
      return Status::Of(Code::kMalformed, "upload is \"{}\", not true, false or realtime", how);
    stream->upload = stream->realtime = true;
  } else {
    FERRY_ASSIGN_OR_RETURN(stream->upload, GetBoolOr(json, "upload", false));
  }
  FERRY_ASSIGN_OR_RETURN(stream->into, GetStringOr(json, "into", ""));
  if (!stream->into.empty()) FERRY_TRY(event::CheckName("into", stream->into));
  FERRY_ASSIGN_OR_RETURN(stream->to, GetStringOr(json, "to", ""));
  if (!stream->to.empty()) FERRY_TRY(event::CheckName("to", stream->to));
  FERRY_ASSIGN_OR_RETURN(stream->app, GetBoolOr(json, "app", false));
  return OkStatus();
}

Status ReadStream(const Json& json, const Surroundings& around, Stream* stream) {
  FERRY_TRY(operators::CheckMembers(
      json, {"name", "source", "operators", "upload", "into", "to", "app", "idle_ms"}));
  FERRY_TRY(ReadSources(json, stream));
  FERRY_TRY(ReadOutputs(json, stream));
  stream->writer = around.writer;
  FERRY_ASSIGN_OR_RETURN(stream->idle_ms, GetIntOr(json, "idle_ms", kDefaultIdleMs));
  if (stream->idle_ms <= 0) return Status(Code::kMalformed, "idle_ms is not positive");
  return ReadOperators(json, around, stream);
}

Stream* Named(const std::vector<std::unique_ptr<Stream>>& streams, std::string_view name) {
  for (const auto& stream : streams)
    if (stream->name == name) return stream.get();
  return nullptr;
}

void Read(Stream* reader, Stream* from, size_t at, bool second) {
  if (from == nullptr || from == reader) return;
  from->readers.push_back({reader, at, second});
  if (std::find(reader->upstreams.begin(), reader->upstreams.end(), from) ==
      reader->upstreams.end())
    reader->upstreams.push_back(from);
}

void Tie(const std::vector<std::unique_ptr<Stream>>& streams) {
  for (const auto& stream : streams) {
    for (const std::string& source : stream->sources)
      Read(stream.get(), Named(streams, source), kFirstOperator, false);
    for (size_t k = 0; k < stream->chain.size(); ++k)
      if (const std::string_view second = stream->chain[k]->second_source(); !second.empty())
        Read(stream.get(), Named(streams, second), k, true);
  }
}

// The circle that one comes to from `from`, which waits for a stream that is not done, as that one
// does in turn.
std::string Circle(const Stream* from, const std::vector<Stream*>& done) {
  std::vector<const Stream*> path;
  const Stream* at = from;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = *std::find_if(at->upstreams.begin(), at->upstreams.end(), [&done](const Stream* one) {
      return std::find(done.begin(), done.end(), one) == done.end();
    });
  }
  std::string text;
  for (auto one = std::find(path.begin(), path.end(), at); one != path.end(); ++one)
    text += (*one)->name + " reads ";
  return text + at->name;
}

// Each stream behind those that it reads, else in the order of the spec.
Status Order(const std::vector<std::unique_ptr<Stream>>& streams, std::vector<Stream*>* order) {
  const auto placed = [order](const Stream* stream) {
    return std::find(order->begin(), order->end(), stream) != order->end();
  };
  while (order->size() < streams.size()) {
    const size_t before = order->size();
    for (const auto& stream : streams)
      if (!placed(stream.get()) &&
          std::all_of(stream->upstreams.begin(), stream->upstreams.end(), placed))
        order->push_back(stream.get());
    if (order->size() > before) continue;
    for (const auto& stream : streams)
      if (!placed(stream.get()))
        return Status::Of(Code::kMalformed, "streams read one another in a circle: {}",
                          Circle(stream.get(), *order));
  }
  return OkStatus();
}

// Rows that take others back go only where that is understood. `updates` holds the streams that
// give such rows.
Status CheckUpdates(const Stream& stream, std::set<const Stream*>* updates) {
  bool first = std::any_of(stream.upstreams.begin(), stream.upstreams.end(),
                           [updates](const Stream* one) { return updates->contains(one); });
  for (size_t k = 0; k < stream.chain.size(); ++k) {
    if (first && !stream.chain[k]->takes_updates())
      return Status::Of(Code::kMalformed,
                        "operator {}: it does not take the updates of the window before it; "
                        "\"emit\": \"final\" gives rows that stay",
                        k + 1);
    first = first || stream.chain[k]->makes_updates();
  }
  if (first) updates->insert(&stream);
  return OkStatus();
}

uint64_t DigestOf(const Stream& stream) {
  uint64_t digest = operators::HashBytes(WriteJson(stream.operators), 1);
  for (const std::string& source : stream.sources)
    digest = operators::MixHash(digest, operators::HashBytes(source, 2));
  for (const Stream* one : stream.upstreams) digest = operators::MixHash(digest, one->digest);
  return digest;
}

}  // namespace

Status BuildStreams(const Json& streams, const Surroundings& around,
                    std::vector<std::unique_ptr<Stream>>* out, std::vector<Stream*>* order) {
  if (!streams.is_null() && !streams.is_array())
    return Status(Code::kMalformed, "streams is no array");
  if (streams.size() > kMaxStreams)
    return Status::Of(Code::kLimitExceeded, "{} streams, the limit is {}", streams.size(),
                      kMaxStreams);
  for (const Json& json : streams) {
    if (!json.is_object())
      return Status::Of(Code::kMalformed, "stream {} is no object", out->size() + 1);
    auto stream = std::make_unique<Stream>();
    auto name = GetString(json, "name").Context("stream {}", out->size() + 1);
    FERRY_ASSIGN_OR_RETURN(stream->name, std::move(name));
    FERRY_TRY(event::CheckName("name", stream->name).Context("a stream"));
    if (Named(*out, stream->name) != nullptr)
      return Status::Of(Code::kAlreadyExists, "two streams are named {}", stream->name);
    FERRY_TRY(ReadStream(json, around, stream.get()).Context("stream {}", stream->name));
    out->push_back(std::move(stream));
  }
  Tie(*out);
  FERRY_TRY(Order(*out, order));
  std::set<const Stream*> updates;
  for (Stream* stream : *order) {
    FERRY_TRY(CheckUpdates(*stream, &updates).Context("stream {}", stream->name));
    stream->digest = DigestOf(*stream);
  }
  return OkStatus();
}

}  // namespace ferry::graph

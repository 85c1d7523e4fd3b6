#include <algorithm>
#include <map>
#include <set>

#include "pipeline/graph/stream.h"
#include "pipeline/operator/state_bytes.h"

namespace ferry::graph {
namespace {

using operators::ByteReader;
using operators::ByteWriter;

// A key is the stream's name, a zero byte, the number of the operator as a byte (kOwnPart: the
// stream itself), the digest of the definition in 8 bytes, and the operator's own key.
constexpr char kOwnPart = '\x7f';
static_assert(kMaxOperators < kOwnPart);

std::string PrefixOf(const Stream& stream, char part) {
  return stream.name + '\0' + part + operators::OrderedBytes(stream.digest);
}

class PrefixedWriter : public event::StateWriter {
 public:
  PrefixedWriter(std::string prefix, event::StateWriter* out)
      : key_(std::move(prefix)), size_(key_.size()), out_(out) {}
  void Put(std::string_view key, std::string_view value) override { out_->Put(Key(key), value); }
  void Delete(std::string_view key) override { out_->Delete(Key(key)); }

 private:
  std::string_view Key(std::string_view key) {
    key_.resize(size_);
    return key_.append(key);
  }
  std::string key_;
  size_t size_;
  event::StateWriter* out_;
};

std::string OwnState(const Stream& stream) {
  std::string bytes;
  ByteWriter out(&bytes);
  for (const int64_t n : {stream.seen_ms, stream.watermark_ms, stream.rows_in, stream.rows_out,
                          stream.errors, stream.future, stream.state_reset})
    out.I64(n);
  return bytes;
}

bool LoadOwnState(std::string_view bytes, Stream* stream) {
  ByteReader in(bytes);
  const int64_t seen_ms = in.I64(), watermark_ms = in.I64();
  int64_t counts[5];
  for (int64_t& n : counts) n = in.I64();
  if (!in.Done()) return false;
  stream->seen_ms = seen_ms;
  stream->watermark_ms = watermark_ms;
  stream->rows_in = counts[0];
  stream->rows_out = counts[1];
  stream->errors = counts[2];
  stream->future = counts[3];
  stream->state_reset += counts[4];
  stream->saved = bytes;
  stream->resumed = true;
  return true;
}

// One operator's pairs, or the stream's own; their keys begin with the same prefix.
bool LoadPart(std::span<const Graph::Pair* const> pairs, size_t prefix, char part, Stream* stream) {
  if (part == kOwnPart)
    return pairs.size() == 1 && pairs[0]->first.size() == prefix &&
           LoadOwnState(pairs[0]->second, stream);
  const auto at = static_cast<size_t>(static_cast<uint8_t>(part));
  if (at >= stream->chain.size()) return false;
  for (const Graph::Pair* pair : pairs)
    if (!stream->chain[at]->Load(std::string_view(pair->first).substr(prefix), pair->second).ok())
      return false;
  return true;
}

}  // namespace

void Graph::SaveChanges(event::StateWriter& out) {
  for (const std::string& key : impl_->stale) out.Delete(key);
  impl_->stale.clear();
  for (const auto& stream : impl_->streams) {
    std::string own = OwnState(*stream);
    if (own != stream->saved) out.Put(PrefixOf(*stream, kOwnPart), own);
    stream->saved = std::move(own);
    for (size_t k = 0; k < stream->chain.size(); ++k) {
      PrefixedWriter part(PrefixOf(*stream, static_cast<char>(k)), &out);
      stream->chain[k]->SaveChanges(part);
    }
  }
}

void Graph::Load(std::span<const Pair> pairs) {
  // By stream and part; within one by key, so that what was written in an order is read in it.
  std::map<std::string, std::vector<const Pair*>> parts;
  std::set<std::string> reset;
  const auto drop = [this, &reset](const Pair& pair) {
    impl_->stale.push_back(pair.first);
    reset.insert(pair.first.substr(0, pair.first.find('\0')));
  };
  for (const Pair& pair : pairs) {
    const size_t name = pair.first.find('\0');
    if (name == std::string::npos || pair.first.size() < name + 10)
      drop(pair);
    else
      parts[pair.first.substr(0, name + 10)].push_back(&pair);
  }
  for (auto& [prefix, list] : parts) {
    std::sort(list.begin(), list.end(),
              [](const Pair* a, const Pair* b) { return a->first < b->first; });
    const char part = prefix[prefix.size() - 9];
    bool taken = false;
    for (const auto& stream : impl_->streams) {
      if (prefix != PrefixOf(*stream, part)) continue;
      taken = LoadPart(list, prefix.size(), part, stream.get());
      const auto at = static_cast<size_t>(static_cast<uint8_t>(part));
      if (taken || at >= stream->chain.size()) continue;
      // Half of it was taken: a new one in its place.
      auto made = operators::MakeOperator(stream->operators[at], impl_->around);
      if (made.ok()) stream->chain[at] = std::move(*made);
    }
    if (!taken)
      for (const Pair* pair : list) drop(*pair);
  }
  for (const auto& stream : impl_->streams)
    if (reset.contains(stream->name)) ++stream->state_reset;
}

}  // namespace ferry::graph

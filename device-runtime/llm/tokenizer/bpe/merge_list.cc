#include "device-runtime/llm/tokenizer/bpe/merge_list.h"

#include <unordered_map>

namespace ferry::llm {

Result<MergePairs> PairsOfTexts(const TextList& merges, const TextList& names,
                                const std::vector<uint32_t>& ids,
                                const std::vector<Token>& tokens) {
  std::unordered_map<std::string_view, uint32_t> id_of;
  id_of.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) id_of.emplace(names[i], ids[i]);
  const size_t count = merges.size() / 2;
  MergePairs pairs;
  pairs.reserve(count);
  std::unordered_map<uint64_t, size_t> last;
  last.reserve(count);
  std::string whole;
  for (size_t rank = 0; rank < count; ++rank) {
    const auto left = id_of.find(merges[2 * rank]);
    const auto right = id_of.find(merges[2 * rank + 1]);
    whole.assign(merges[2 * rank]).append(merges[2 * rank + 1]);
    if (left == id_of.end() || right == id_of.end() || !id_of.contains(whole)) {
      return Status::Of(Code::kMalformed,
                        "merge {}, {:?} with {:?}: the vocabulary lacks a part or the whole", rank,
                        merges[2 * rank], merges[2 * rank + 1]);
    }
    pairs.emplace_back(left->second, right->second);
    last[uint64_t{left->second} << 32 | right->second] = rank;
  }
  MergePairs kept;
  kept.reserve(count);
  for (size_t rank = 0; rank < count; ++rank) {
    const auto& [left, right] = pairs[rank];
    const bool reachable =
        tokens[left].kind == Token::kMatched && tokens[right].kind == Token::kMatched;
    if (reachable && last[uint64_t{left} << 32 | right] == rank) kept.push_back(pairs[rank]);
  }
  return kept;
}

Result<TextList> MergesOfLines(std::string_view text) {
  TextList merges;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version")) continue;
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      return Status::Of(Code::kMalformed, "merge {:?} is not two tokens", line);
    }
    merges.Add(line.substr(0, space));
    merges.Add(line.substr(space + 1));
    if (merges.size() / 2 > kMaxMerges) {
      return Status::Of(Code::kLimitExceeded, "over {} merges", kMaxMerges);
    }
  }
  return merges;
}

Result<MergeTable> MergesOfList(const Vocabulary& vocabulary, const MergePairs& merges) {
  if (merges.size() > kMaxMerges) {
    return Status::Of(Code::kLimitExceeded, "{} merges, at most {}", merges.size(), kMaxMerges);
  }
  MergeTable table(merges.size());
  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const auto [left, right] = merges[rank];
    if (left >= vocabulary.size() || right >= vocabulary.size() ||
        vocabulary.kind(left) != Token::kMatched || vocabulary.kind(right) != Token::kMatched) {
      return Status::Of(Code::kMalformed, "merge {} joins ids {} and {}, which are no tokens", rank,
                        left, right);
    }
    joined.assign(vocabulary.text(left)).append(vocabulary.text(right));
    const uint32_t id = vocabulary.Find(joined);
    if (id == kNoToken) {
      return Status::Of(Code::kMalformed, "merge {} makes a token that the vocabulary lacks", rank);
    }
    if (table.Find(left, right).rank != kNoToken) {
      return Status::Of(Code::kMalformed, "merge {} stands there twice", rank);
    }
    table.Add(left, right, {static_cast<uint32_t>(rank), id});
  }
  return table;
}

void WriteMerges(const MergePairs& merges, SerialWriter& writer) {
  writer.U32(static_cast<uint32_t>(merges.size()));
  for (const auto& [left, right] : merges) {
    writer.U32(left);
    writer.U32(right);
  }
}

void ReadMerges(SerialReader& reader, MergePairs& merges) {
  merges.resize(reader.Count(8));
  for (auto& [left, right] : merges) {
    left = reader.U32();
    right = reader.U32();
  }
}

}  // namespace ferry::llm

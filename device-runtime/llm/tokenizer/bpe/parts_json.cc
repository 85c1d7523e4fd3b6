#include "device-runtime/llm/tokenizer/bpe/parts_json.h"

#include <algorithm>
#include <unordered_map>

#include "device-runtime/llm/tokenizer/text/byte_alphabet.h"

namespace ferry::llm {
namespace {

// Qwen2's own cutting, which files without tokenizer.json leave unsaid.
constexpr std::string_view kQwen2Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

// "" and null both stand for none.
bool IsNone(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() || *found == "";
}

const Json& Member(const Json& object, std::string_view key) {
  static const Json kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

Status ReadVocabulary(const Json& vocab, std::vector<BpeToken>& tokens) {
  if (!vocab.is_object()) return Status(Code::kMalformed, "the vocabulary is no JSON object");
  for (const auto& [spelling, value] : vocab.items()) {
    if (!value.is_number_unsigned() ||
        value.get<uint64_t>() >= static_cast<uint64_t>(kMaxVocabulary)) {
      return Status::Of(Code::kMalformed, "token {:?} has no id from 0 to {}", spelling,
                        kMaxVocabulary - 1);
    }
    const size_t id = value.get<uint64_t>();
    if (id >= tokens.size()) tokens.resize(id + 1);
    if (tokens[id].kind != BpeToken::kAbsent) {
      return Status::Of(Code::kMalformed, "token {:?} has the id {} of another", spelling, id);
    }
    const auto bytes = BytesOfAlphabet(spelling);
    if (bytes.has_value() && !bytes->empty()) {
      tokens[id] = {BpeToken::kBytes, *bytes};
    } else {
      tokens[id] = {BpeToken::kPlain, spelling};
    }
  }
  return OkStatus();
}

// Collects merges by rank; of a pair that stands there twice the last counts.
class MergeReader {
 public:
  // Both outlive it; `tokens` is what ReadVocabulary made of `vocab`.
  MergeReader(const Json& vocab, const std::vector<BpeToken>& tokens) : tokens_(tokens) {
    ids_.reserve(vocab.size());
    for (auto entry = vocab.begin(); entry != vocab.end(); ++entry) {
      ids_.emplace(entry.key(), entry->get<uint32_t>());
    }
  }

  Status Add(std::string_view left, std::string_view right) {
    const auto left_id = ids_.find(left);
    const auto right_id = ids_.find(right);
    whole_.assign(left).append(right);
    if (left_id == ids_.end() || right_id == ids_.end() || !ids_.contains(whole_)) {
      return Status::Of(Code::kMalformed,
                        "merge {}, {:?} with {:?}: the vocabulary lacks a part or the whole",
                        merges_.size(), left, right);
    }
    const auto pair = std::pair(left_id->second, right_id->second);
    // A part outside of the byte alphabet never comes up.
    const bool reachable = tokens_[pair.first].kind == BpeToken::kBytes &&
                           tokens_[pair.second].kind == BpeToken::kBytes;
    if (reachable) last_[uint64_t{pair.first} << 32 | pair.second] = merges_.size();
    merges_.push_back({pair, reachable});
    return OkStatus();
  }

  std::vector<std::pair<uint32_t, uint32_t>> Take() {
    std::vector<std::pair<uint32_t, uint32_t>> merges;
    for (size_t rank = 0; rank < merges_.size(); ++rank) {
      const auto& [pair, reachable] = merges_[rank];
      if (reachable && last_[uint64_t{pair.first} << 32 | pair.second] == rank) {
        merges.push_back(pair);
      }
    }
    return merges;
  }

 private:
  const std::vector<BpeToken>& tokens_;
  std::unordered_map<std::string_view, uint32_t> ids_;  // by spelling
  std::string whole_;
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, bool>> merges_;
  std::unordered_map<uint64_t, size_t> last_;
};

// "a b".
Status AddSpelledMerge(std::string_view text, MergeReader& reader) {
  const size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
    return Status::Of(Code::kMalformed, "merge {:?} is not two tokens", text);
  }
  return reader.Add(text.substr(0, space), text.substr(space + 1));
}

Status ReadMerges(const Json& merges, const Json& vocab, BpeParts& parts) {
  MergeReader reader(vocab, parts.tokens);
  for (const Json& merge : merges) {
    if (merge.is_string()) {
      FERRY_TRY(AddSpelledMerge(merge.get_ref<const std::string&>(), reader));
    } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
               merge[1].is_string()) {
      FERRY_TRY(reader.Add(merge[0].get_ref<const std::string&>(),
                           merge[1].get_ref<const std::string&>()));
    } else {
      return Status(Code::kMalformed, "a merge is neither a text nor a pair of texts");
    }
  }
  parts.merges = reader.Take();
  return OkStatus();
}

Result<AddedToken> AddedFromJson(const Json& json) {
  AddedToken token;
  FERRY_ASSIGN_OR_RETURN(token.content, GetString(json, "content"));
  FERRY_ASSIGN_OR_RETURN(token.special, GetBoolOr(json, "special", false));
  FERRY_ASSIGN_OR_RETURN(token.left_strip, GetBoolOr(json, "lstrip", false));
  FERRY_ASSIGN_OR_RETURN(token.right_strip, GetBoolOr(json, "rstrip", false));
  FERRY_ASSIGN_OR_RETURN(token.single_word, GetBoolOr(json, "single_word", false));
  FERRY_ASSIGN_OR_RETURN(token.normalized, GetBoolOr(json, "normalized", !token.special));
  return token;
}

Status AppendAdded(const Json& json, int64_t id, std::vector<AddedToken>& added) {
  if (id < 0 || id >= kMaxVocabulary) {
    return Status::Of(Code::kMalformed, "an added token has id {}, at most {}", id,
                      kMaxVocabulary - 1);
  }
  FERRY_ASSIGN_OR_RETURN(AddedToken token, AddedFromJson(json));
  token.id = static_cast<TokenId>(id);
  added.push_back(std::move(token));
  return OkStatus();
}

// "added_tokens_decoder": the tokens by their ids as texts.
Status AppendAddedOfConfig(const Json& json, std::vector<AddedToken>& added) {
  for (const auto& [key, token] : json.items()) {
    const bool number =
        !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    FERRY_TRY(AppendAdded(token, number ? std::stoll(key) : -1, added)
                  .Context("added_tokens_decoder of tokenizer_config.json"));
  }
  return OkStatus();
}

void SortById(std::vector<AddedToken>& added) {
  std::stable_sort(added.begin(), added.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
}

Status CheckModel(const Json& model) {
  for (const std::string_view key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!IsNone(model, key)) return Status::Of(Code::kUnsupported, "BPE with {}", key);
  }
  FERRY_ASSIGN_OR_RETURN(const double dropout, GetNumberOr(model, "dropout", 0));
  if (dropout != 0) return Status(Code::kUnsupported, "BPE with dropout");
  FERRY_ASSIGN_OR_RETURN(const bool fallback, GetBoolOr(model, "byte_fallback", false));
  if (fallback) return Status(Code::kUnsupported, "BPE with byte_fallback");
  return OkStatus();
}

Result<bool> IsNfc(const Json& normalizer) {
  if (normalizer.is_null()) return false;
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(normalizer, "type"));
  if (type == "NFC") return true;
  if (type == "Sequence") {
    FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(normalizer, "normalizers"));
    if (parts->empty()) return false;
    if (parts->size() == 1 && (*parts)[0].is_object() && Member((*parts)[0], "type") == "NFC") {
      return true;
    }
    return Status(Code::kUnsupported, "a normalizer Sequence of other than NFC");
  }
  return Status::Of(Code::kUnsupported, "normalizer {:?}", type);
}

// Post-processors only add tokens around a text, which Encode never does, or move offsets.
Status CheckPostProcessor(const Json& json, int depth = 0) {
  if (json.is_null()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  for (const std::string_view known :
       {"ByteLevel", "TemplateProcessing", "RobertaProcessing", "BertProcessing"}) {
    if (type == known) return OkStatus();
  }
  if (type != "Sequence" || depth > 0) {
    return Status::Of(Code::kUnsupported, "post-processor {:?}", type);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(json, "processors"));
  for (const Json& part : *parts) FERRY_TRY(CheckPostProcessor(part, depth + 1));
  return OkStatus();
}

Status CheckDecoder(const Json& json) {
  if (json.is_null()) return Status(Code::kUnsupported, "BPE without the decoder ByteLevel");
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  if (type == "ByteLevel") return OkStatus();
  return Status::Of(Code::kUnsupported, "decoder {:?}", type);
}

// Whether every byte is a token; without an unknown token HF drops the others, and so do we.
Status CheckUnknown(const Json& model, const std::vector<BpeToken>& tokens) {
  if (IsNone(model, "unk_token")) return OkStatus();
  size_t bytes = 0;
  for (const BpeToken& token : tokens) {
    bytes += token.kind == BpeToken::kBytes && token.text.size() == 1;
  }
  if (bytes == 256) return OkStatus();
  return Status(Code::kUnsupported, "BPE with unk_token and without all 256 bytes");
}

}  // namespace

Result<BpeParts> BpePartsFromJson(const Json& tokenizer) {
  BpeParts parts;
  FERRY_ASSIGN_OR_RETURN(const Json* model, GetObject(tokenizer, "model"));
  FERRY_TRY(CheckModel(*model));
  FERRY_ASSIGN_OR_RETURN(parts.nfc, IsNfc(Member(tokenizer, "normalizer")));
  FERRY_ASSIGN_OR_RETURN(parts.steps, SplitStepsFromJson(Member(tokenizer, "pre_tokenizer")));
  FERRY_TRY(CheckPostProcessor(Member(tokenizer, "post_processor")));
  FERRY_TRY(CheckDecoder(Member(tokenizer, "decoder")));
  FERRY_ASSIGN_OR_RETURN(parts.whole_pieces, GetBoolOr(*model, "ignore_merges", false));
  FERRY_ASSIGN_OR_RETURN(const Json* vocab, GetObject(*model, "vocab"));
  FERRY_ASSIGN_OR_RETURN(const Json* merges, GetArray(*model, "merges"));
  FERRY_TRY(ReadVocabulary(*vocab, parts.tokens));
  FERRY_TRY(CheckUnknown(*model, parts.tokens));
  FERRY_TRY(ReadMerges(*merges, *vocab, parts));
  FERRY_ASSIGN_OR_RETURN(const Json* added, GetArrayOrNull(tokenizer, "added_tokens"));
  if (added != nullptr) {
    for (const Json& token : *added) {
      FERRY_ASSIGN_OR_RETURN(const int64_t id, GetInt(token, "id"));
      FERRY_TRY(AppendAdded(token, id, parts.added));
    }
  }
  SortById(parts.added);
  return parts;
}

Result<BpeParts> BpePartsFromFiles(const Json& vocab, std::string_view merges, const Json& config) {
  BpeParts parts;
  parts.nfc = true;
  parts.steps = {
      {SplitStep::kExpression, SplitStep::kIsolated, false, std::string(kQwen2Expression)}};
  FERRY_TRY(ReadVocabulary(vocab, parts.tokens).Context("vocab.json"));
  MergeReader reader(vocab, parts.tokens);
  for (size_t at = 0; at < merges.size();) {
    const size_t end = std::min(merges.find('\n', at), merges.size());
    std::string_view line = merges.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with("#version")) continue;
    FERRY_TRY(AddSpelledMerge(line, reader).Context("merges.txt"));
  }
  parts.merges = reader.Take();
  if (config.is_object()) {
    FERRY_ASSIGN_OR_RETURN(const Json* added, GetObjectOrNull(config, "added_tokens_decoder"));
    if (added != nullptr) FERRY_TRY(AppendAddedOfConfig(*added, parts.added));
  }
  SortById(parts.added);
  return parts;
}

}  // namespace ferry::llm

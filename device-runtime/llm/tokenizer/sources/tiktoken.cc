// Ranks of tiktoken. Source: OpenAI's tiktoken, its registry of encodings; Qwen's and Llama 3's
// published special tokens.
#include <algorithm>
#include <charconv>

#include "device-runtime/llm/tokenizer/bpe/byte_bpe.h"
#include "device-runtime/llm/tokenizer/sources/pre_tokenizers.h"
#include "device-runtime/llm/tokenizer/sources/sources.h"

namespace ferry::llm {
namespace {

struct RanksSpecial {
  std::string_view text;
  TokenId id;
};

constexpr RanksSpecial kCl100kSpecials[] = {{"<|endoftext|>", 100257},
                                            {"<|fim_prefix|>", 100258},
                                            {"<|fim_middle|>", 100259},
                                            {"<|fim_suffix|>", 100260},
                                            {"<|endofprompt|>", 100276}};
constexpr RanksSpecial kO200kSpecials[] = {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}};
constexpr RanksSpecial kGpt2Specials[] = {{"<|endoftext|>", 50256}};
constexpr RanksSpecial kQwenSpecials[] = {
    {"<|endoftext|>", 151643}, {"<|im_start|>", 151644}, {"<|im_end|>", 151645}};
constexpr RanksSpecial kLlama3Specials[] = {
    {"<|begin_of_text|>", 128000}, {"<|end_of_text|>", 128001}, {"<|start_header_id|>", 128006},
    {"<|end_header_id|>", 128007}, {"<|eom_id|>", 128008},      {"<|eot_id|>", 128009},
    {"<|python_tag|>", 128010}};

struct RanksFile {
  std::string_view name;  // that its file's begins with
  std::string_view pre_tokenizer;
  std::span<const RanksSpecial> specials;
};
constexpr RanksFile kRanksFiles[] = {{"cl100k", "cl100k_base", kCl100kSpecials},
                                     {"gpt2", "gpt2", kGpt2Specials},
                                     {"o200k", "o200k_base", kO200kSpecials},
                                     {"p50k", "p50k_base", kGpt2Specials},
                                     {"qwen", "qwen", kQwenSpecials},
                                     {"r50k", "r50k_base", kGpt2Specials},
                                     {"tokenizer.model", "llama3", kLlama3Specials}};

// One line; the id is the rank.
Status ReadRank(std::string_view line, std::vector<Token>& tokens) {
  const size_t space = line.find(' ');
  const auto wrong = [&] {
    return Status::Of(Code::kMalformed, "line {:?} is no token in base64 and its rank",
                      line.substr(0, 80));
  };
  if (space == std::string_view::npos) return wrong();
  const auto bytes = FromBase64(line.substr(0, space));
  uint32_t rank = 0;
  const auto end = line.data() + line.size();
  const auto read = std::from_chars(line.data() + space + 1, end, rank);
  if (!bytes.ok() || bytes->empty() || read.ec != std::errc() || read.ptr != end) return wrong();
  if (rank >= static_cast<uint32_t>(kMaxVocabulary)) {
    return Status::Of(Code::kLimitExceeded, "rank {}, at most {}", rank, kMaxVocabulary - 1);
  }
  if (rank >= tokens.size()) tokens.resize(rank + 1);
  if (tokens[rank].kind != Token::kAbsent) {
    return Status::Of(Code::kMalformed, "two tokens of rank {}", rank);
  }
  tokens[rank] = {Token::kMatched, std::string(AsText(*bytes))};
  return OkStatus();
}

std::string RanksNames() {
  std::string names;
  for (const RanksFile& row : kRanksFiles) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

}  // namespace

bool LooksLikeTiktoken(ByteView bytes) {
  const std::string_view text = AsText(bytes);
  std::vector<Token> tokens;
  return ReadRank(text.substr(0, std::min(text.find('\n'), text.size())), tokens).ok();
}

Result<std::unique_ptr<Tokenizer>> TokenizerFromTiktoken(ByteView ranks, std::string_view name) {
  const auto* row = std::find_if(std::begin(kRanksFiles), std::end(kRanksFiles),
                                 [&](const RanksFile& r) { return name.starts_with(r.name); });
  if (row == std::end(kRanksFiles)) {
    return Status::Of(Code::kUnsupported,
                      "how ranks of the name {:?} cut a text is not known; known: {}", name,
                      RanksNames());
  }
  if (ranks.size() > kMaxTokenizerFileBytes) {
    return Status::Of(Code::kLimitExceeded, "ranks of {} bytes, at most {}", ranks.size(),
                      kMaxTokenizerFileBytes);
  }
  TokenizerParts parts;
  const std::string_view text = AsText(ranks);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) FERRY_TRY(ReadRank(text.substr(at, end - at), parts.tokens));
    at = end + 1;
  }
  const PreTokenizer* pre = FindPreTokenizer(row->pre_tokenizer);
  CHECK(pre != nullptr) << row->pre_tokenizer;
  parts.steps = StepsOf(*pre);
  for (const RanksSpecial& special : row->specials) {
    AddedToken& added = parts.added.emplace_back();
    added.id = special.id;
    added.content = special.text;
    added.special = true;
  }
  return ByteBpe::CreateByIds(std::move(parts));
}

}  // namespace ferry::llm

#include <array>
#include <utility>

#include "common/base/json.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm::testing {
namespace {

// In the alphabet of byte-level BPE, where U+0120 stands for the space; each builds on those
// before.
constexpr std::array<std::pair<const char*, const char*>, 28> kMerges = {{
    {"t", "h"}, {"th", "e"},     {"\u0120", "the"}, {"i", "n"},        {"e", "r"},
    {"a", "n"}, {"\u0120", "a"}, {"an", "d"},       {"\u0120", "and"}, {"o", "n"},
    {"r", "e"}, {"o", "u"},      {"\u0120", "w"},   {"\u0120", "s"},   {"in", "g"},
    {"e", "s"}, {"e", "n"},      {"a", "t"},        {"\u0120", "o"},   {"l", "l"},
    {"o", "r"}, {"\u0120", "c"}, {"i", "s"},        {"\u0120", "in"},  {"\u0120", "b"},
    {"i", "t"}, {"\u0120", "f"}, {"\u0120o", "f"},
}};
constexpr std::array<const char*, 3> kSpecials = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};

std::string Utf8(int code_point) {  // below U+0800
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  return {static_cast<char>(0xc0 | (code_point >> 6)),
          static_cast<char>(0x80 | (code_point & 0x3f))};
}

bool IsShownAsItself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

// Bytes in the order of GPT-2's alphabet: those shown as themselves, then the others from U+0100.
std::vector<std::string> Alphabet() {
  std::vector<std::string> alphabet;
  for (int byte = 0; byte < 256; ++byte) {
    if (IsShownAsItself(byte)) alphabet.push_back(Utf8(byte));
  }
  const int others = 256 - static_cast<int>(alphabet.size());
  for (int i = 0; i < others; ++i) alphabet.push_back(Utf8(256 + i));
  return alphabet;
}

}  // namespace

int64_t TinyVocabulary() {
  return 256 + static_cast<int64_t>(kMerges.size() + kSpecials.size());
}

std::string TinyTokenizerJson() {
  Json vocabulary = Json::object();
  for (const std::string& symbol : Alphabet()) {
    const size_t id = vocabulary.size();
    vocabulary[symbol] = id;
  }
  Json merges = Json::array();
  for (const auto& [left, right] : kMerges) {
    const size_t id = vocabulary.size();
    vocabulary[std::string(left) + right] = id;
    merges.push_back(Json::array({left, right}));
  }
  Json added = Json::array();
  size_t next_id = vocabulary.size();
  for (const char* text : kSpecials) {
    added.push_back({{"id", next_id++},
                     {"content", text},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  const char* pattern = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
                        R"(|\s?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", false}};
  const Json decoder = {{"type", "ByteLevel"},
                        {"add_prefix_space", true},
                        {"trim_offsets", true},
                        {"use_regex", true}};
  const Json model = {{"type", "BPE"},          {"dropout", nullptr},
                      {"unk_token", nullptr},   {"continuing_subword_prefix", nullptr},
                      {"fuse_unk", false},      {"end_of_word_suffix", nullptr},
                      {"byte_fallback", false}, {"ignore_merges", false},
                      {"vocab", vocabulary},    {"merges", merges}};
  return WriteJson(
      {{"version", "1.0"},
       {"truncation", nullptr},
       {"padding", nullptr},
       {"added_tokens", added},
       {"normalizer", {{"type", "NFC"}}},
       {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json::array({split, bytes})}}},
       {"post_processor", nullptr},
       {"decoder", decoder},
       {"model", model}});
}

}  // namespace ferry::llm::testing

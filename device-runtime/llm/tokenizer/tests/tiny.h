// A small byte-level tokenizer with merges made at random, as tokenizer.json and as plain tables
// for a naive reference.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "device-runtime/llm/tokenizer/text/byte_alphabet.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm::testing {

struct Tiny {
  std::map<std::string, int> vocab;  // by bytes
  std::vector<std::pair<std::string, std::string>> merges;
  Json json;  // tokenizer.json
};

// All bytes, `merges` random merges over the letters of `letters`, "<|end|>" (special) and "<tool>"
// (added, not special).
inline Tiny MakeTiny(uint32_t seed, const std::string& letters, int merges, bool pairs = true) {
  Tiny tiny;
  std::mt19937 random(seed);
  std::vector<std::string> pieces;
  for (int byte = 0; byte < 256; ++byte) {
    tiny.vocab[std::string(1, static_cast<char>(byte))] = static_cast<int>(tiny.vocab.size());
  }
  for (const char c : letters) pieces.push_back(std::string(1, c));
  std::set<std::pair<std::string, std::string>> seen;
  while (static_cast<int>(tiny.merges.size()) < merges) {
    const std::string& left = pieces[random() % pieces.size()];
    const std::string& right = pieces[random() % pieces.size()];
    if (left.size() + right.size() > 12 || !seen.insert({left, right}).second) continue;
    tiny.merges.emplace_back(left, right);
    const std::string joined = left + right;
    if (tiny.vocab.emplace(joined, static_cast<int>(tiny.vocab.size())).second) {
      pieces.push_back(joined);
    }
  }
  Json vocab = Json::object();
  for (const auto& [bytes, id] : tiny.vocab) vocab[AlphabetOfBytes(bytes)] = id;
  Json list = Json::array();
  for (const auto& [left, right] : tiny.merges) {
    const std::string a = AlphabetOfBytes(left);
    const std::string b = AlphabetOfBytes(right);
    list.push_back(pairs ? Json::array({a, b}) : Json(a + " " + b));
  }
  const int next = static_cast<int>(tiny.vocab.size());
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", R"(\s+|\S+)"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  tiny.json = {
      {"added_tokens",
       {{{"id", next}, {"content", "<|end|>"}, {"special", true}, {"normalized", false}},
        {{"id", next + 1}, {"content", "<tool>"}, {"special", false}, {"normalized", false}}}},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer",
       {{"type", "Sequence"}, {"pretokenizers", Json::array({split, byte_level})}}},
      {"post_processor", nullptr},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", list}}}};
  return tiny;
}

inline std::unique_ptr<Tokenizer> Make(const Json& json) {
  auto tokenizer = TokenizerFromJson(AsBytes(WriteJson(json)));
  CHECK(tokenizer.ok()) << tokenizer.status().ToString();
  return std::move(*tokenizer);
}

// The definition, word for word: join the pair of lowest rank, leftmost first, until none is left.
inline std::vector<TokenId> NaiveBpe(const Tiny& tiny, const std::string& piece) {
  std::vector<std::string> parts;
  for (const char c : piece) parts.push_back(std::string(1, c));
  while (true) {
    size_t best_rank = tiny.merges.size();
    size_t best = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      for (size_t rank = 0; rank < best_rank; ++rank) {
        if (tiny.merges[rank].first == parts[i] && tiny.merges[rank].second == parts[i + 1]) {
          best_rank = rank;
          best = i;
        }
      }
    }
    if (best_rank == tiny.merges.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + best + 1);
  }
  std::vector<TokenId> ids;
  for (const std::string& part : parts) ids.push_back(tiny.vocab.at(part));
  return ids;
}

}  // namespace ferry::llm::testing

#include "device-runtime/llm/tokenizer/sources/pre_tokenizers.h"

#include <algorithm>
#include <iterator>

#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kGpt2Cut[] = {kGpt2Expression};
constexpr std::string_view kStarcoderCut[] = {R"(\p{N})", kGpt2Expression};
constexpr std::string_view kPlainCut[] = {R"([\p{P}$+<=>^~|]+)", kGpt2Expression, R"(\p{N}+)",
                                          "[0-9][0-9][0-9]"};
constexpr std::string_view kFalconCut[] = {R"([\p{P}$+<=>^~|`]+)", kGpt2Expression,
                                           "[0-9][0-9][0-9]"};
constexpr std::string_view kLlama3Cut[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kQwen2Cut[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kO200kCut[] = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kTekkenCut[] = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::string_view kDeepseekCoderCut[] = {
    R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
    R"([\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+)", R"(\p{N})"};
constexpr std::string_view kDeepseekLlmCut[] = {
    R"([\r\n])",
    R"(\s?[)"
    R"(A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf})"
    R"(\x{1c4}-\x{293}\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d})"
    R"(\x{37f}\x{386}\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5})"
    R"(\x{3f7}-\x{481}\x{48a}-\x{52f}\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5})"
    R"(\x{13f8}-\x{13fd}\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b})"
    R"(\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d})"
    R"(\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d})"
    R"(\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4})"
    R"(\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec})"
    R"(\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115})"
    R"(\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134})"
    R"(\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184})"
    R"(\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3})"
    R"(\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787})"
    R"(\x{a78b}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17})"
    R"(\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3})"
    R"(\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df})"
    R"(\x{1e900}-\x{1e943})"
    R"(]+)",
    R"(\s?[!-/:-~\x{ff01}-\x{ff0f}\x{ff1a}-\x{ff5e}\x{2018}-\x{201f}\x{3000}-\x{3002}]+)",
    R"(\s+$)",
    R"([\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+)",
    R"(\p{N}+)"};
constexpr std::string_view kDeepseekV3Cut[] = {
    R"(\p{N}{1,3})", R"([\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// Sorted by name.
constexpr PreTokenizer kPreTokenizers[] = {
    {"chatglm-bpe", kLlama3Cut},
    {"cl100k_base", kLlama3Cut},
    {"codeshell", kStarcoderCut},
    {"command-r", kStarcoderCut},
    {"dbrx", kLlama3Cut},
    {"deepseek-coder", kDeepseekCoderCut},
    {"deepseek-llm", kDeepseekLlmCut},
    {"deepseek-r1-qwen", kQwen2Cut},
    {"deepseek-v3", kDeepseekV3Cut},
    {"default", kPlainCut},
    {"exaone", kStarcoderCut},
    {"falcon", kFalconCut},
    {"falcon-h1", kLlama3Cut, true},
    {"falcon3", kLlama3Cut, true},
    {"gigachat", kGpt2Cut},
    {"glm4", kLlama3Cut},
    {"gpt-2", kGpt2Cut},
    {"gpt-4o", kO200kCut},
    {"gpt2", kGpt2Cut},
    {"hunyuan-dense", kDeepseekV3Cut},
    {"jina-de", kGpt2Cut},
    {"jina-es", kGpt2Cut},
    {"jina-v1-en", kGpt2Cut},
    {"jina-v2-code", kGpt2Cut},
    {"jina-v2-de", kGpt2Cut},
    {"jina-v2-es", kGpt2Cut},
    {"lfm2", kLlama3Cut, true},
    {"llama-bpe", kLlama3Cut, true},
    {"llama-v3", kLlama3Cut, true},
    {"llama3", kLlama3Cut, true},
    {"llama4", kO200kCut},
    {"megrez", kQwen2Cut},
    {"midm-2.0", kLlama3Cut, true},
    {"minerva-7b", kStarcoderCut},
    {"mpt", kGpt2Cut},
    {"o200k_base", kO200kCut},
    {"olmo", kGpt2Cut},
    {"p50k_base", kGpt2Cut},
    {"phi-2", kGpt2Cut},
    {"pixtral", kLlama3Cut, true},
    {"qwen", kQwen2Cut},
    {"qwen2", kQwen2Cut},
    {"r50k_base", kGpt2Cut},
    {"refact", kStarcoderCut},
    {"roberta-bpe", kGpt2Cut},
    {"smaug-bpe", kLlama3Cut},
    {"smollm", kStarcoderCut},
    {"stablelm2", kQwen2Cut},
    {"starcoder", kStarcoderCut},
    {"tekken", kTekkenCut, true},
};

}  // namespace

const PreTokenizer* FindPreTokenizer(std::string_view name) {
  const auto* row = std::lower_bound(
      std::begin(kPreTokenizers), std::end(kPreTokenizers), name,
      [](const PreTokenizer& pre, std::string_view wanted) { return pre.name < wanted; });
  return row != std::end(kPreTokenizers) && row->name == name ? row : nullptr;
}

std::string PreTokenizerNames() {
  std::string names;
  for (const PreTokenizer& pre : kPreTokenizers) {
    if (!names.empty()) names += ", ";
    names += pre.name;
  }
  return names;
}

std::vector<SplitStep> StepsOf(const PreTokenizer& pre) {
  std::vector<SplitStep> steps;
  for (const std::string_view expression : pre.expressions) {
    steps.emplace_back().pattern = expression;
  }
  return steps;
}

}  // namespace ferry::llm

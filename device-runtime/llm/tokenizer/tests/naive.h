// The kinds' definitions word for word, on small random vocabularies: what the quick ones must
// equal.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "device-runtime/llm/tokenizer/text/utf8.h"
#include "device-runtime/llm/tokenizer/tokenizer.h"

namespace ferry::llm::testing {

inline std::vector<std::string> Characters(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = NextUtf8(text, at).length;
    out.emplace_back(text.substr(at, length));
    at += length;
  }
  return out;
}

// `length` characters of `alphabet`.
inline std::string RandomText(std::mt19937& random, const std::vector<std::string>& alphabet,
                              size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

// Joins the pair for which `rank` is least (kept apart: a negative one), leftmost first.
inline std::vector<std::string> NaiveJoin(
    std::vector<std::string> parts,
    const std::function<double(const std::string&, const std::string&)>& rank) {
  while (true) {
    double best = std::numeric_limits<double>::infinity();
    size_t place = 0;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const double one = rank(parts[i], parts[i + 1]);
      if (one < best) {
        best = one;
        place = i;
      }
    }
    if (best == std::numeric_limits<double>::infinity()) return parts;
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

// The tokens (and unknown characters) of the best way, by trying each last token of each beginning.
inline std::vector<std::string> NaiveUnigram(const std::string& text,
                                             const std::map<std::string, double>& scores,
                                             double unknown) {
  const std::vector<std::string> characters = Characters(text);
  std::vector<double> best(characters.size() + 1, -std::numeric_limits<double>::infinity());
  std::vector<size_t> from(characters.size() + 1, 0);
  best[0] = 0;
  for (size_t end = 1; end <= characters.size(); ++end) {
    std::string part;
    std::vector<std::pair<size_t, double>> ways;
    for (size_t begin = end; begin-- > 0;) {
      part = characters[begin] + part;
      const auto score = scores.find(part);
      if (score != scores.end()) {
        ways.emplace_back(begin, best[begin] + score->second);
      } else if (begin + 1 == end) {
        ways.emplace_back(begin, best[begin] + unknown);
      }
    }
    std::reverse(ways.begin(), ways.end());  // of equal ones the longest last token
    for (const auto& [begin, score] : ways) {
      if (score <= best[end]) continue;
      best[end] = score;
      from[end] = begin;
    }
  }
  std::vector<std::string> parts;
  for (size_t end = characters.size(); end > 0; end = from[end]) {
    std::string part;
    for (size_t i = from[end]; i < end; ++i) part += characters[i];
    parts.insert(parts.begin(), part);
  }
  return parts;
}

// Greedy; empty when a rest has no token.
inline std::vector<std::string> NaiveWordPiece(const std::string& word,
                                               const std::map<std::string, int>& vocab) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < word.size();) {
    const std::string prefix = at == 0 ? "" : "##";
    size_t size = word.size() - at;
    while (size > 0 && !vocab.contains(prefix + word.substr(at, size))) --size;
    if (size == 0) return {};
    parts.push_back(prefix + word.substr(at, size));
    at += size;
  }
  return parts;
}

}  // namespace ferry::llm::testing

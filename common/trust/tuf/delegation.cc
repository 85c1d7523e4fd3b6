// Which delegated role is asked for a path.
#include <algorithm>

#include "common/crypto/hash.h"
#include "common/trust/tuf/documents.h"

namespace ferry::tuf {
namespace {

// One part between separators: '*' takes any characters, '?' one. Goes back to the last star only,
// so the time is at most the product of both lengths.
bool MatchesPart(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view path) {
  while (true) {
    const size_t cut = pattern.find('/'), at = path.find('/');
    if (!MatchesPart(pattern.substr(0, cut), path.substr(0, at))) return false;
    if (cut == std::string_view::npos || at == std::string_view::npos) return cut == at;
    pattern.remove_prefix(cut + 1);
    path.remove_prefix(at + 1);
  }
}

bool Covers(const Delegation& delegation, std::string_view path) {
  const auto& patterns = delegation.patterns;
  if (std::any_of(patterns.begin(), patterns.end(),
                  [&](const std::string& pattern) { return MatchesPattern(pattern, path); })) {
    return true;
  }
  if (delegation.hash_prefixes.empty()) return false;
  const std::string digest = crypto::Sha256Hex(AsBytes(path));
  return std::any_of(delegation.hash_prefixes.begin(), delegation.hash_prefixes.end(),
                     [&](const std::string& prefix) { return digest.starts_with(prefix); });
}

std::string BinOf(const HashBins& bins, std::string_view path) {
  const crypto::Sha256Digest digest = crypto::Sha256(AsBytes(path));
  uint64_t first = 0;
  for (size_t i = 0; i < 4; ++i) first = first << 8 | digest[i];
  const uint64_t bin = first >> (32 - bins.bit_length);
  const int digits = (bins.bit_length + 3) / 4;
  return fmt::format("{}-{:0{}x}", bins.name_prefix, bin, digits);
}

std::vector<Delegation> DelegationsFor(const Targets& targets, std::string_view path) {
  if (targets.bins) {
    return {{BinOf(*targets.bins, path), targets.bins->role, /*terminating=*/true, {}, {}}};
  }
  std::vector<Delegation> out;
  for (const Delegation& delegation : targets.delegations) {
    if (!Covers(delegation, path)) continue;
    out.push_back(delegation);
    if (delegation.terminating) break;
  }
  return out;
}

}  // namespace ferry::tuf

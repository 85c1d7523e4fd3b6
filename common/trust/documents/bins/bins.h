// Targets that are spread over hash bins: one document above and 2^n below it, each with the paths
// whose SHA-256 begins with its number, so that who needs few paths fetches few documents. Source:
// TUF specification 1.0, section 4.5, and TAP 15 (succinct hash bins); the member "ferry" is ours.
// ---- bins.cc
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr std::string_view kBinPrefix = "bin";
inline constexpr int kMaxBinBits = 8;

struct HashBins {
  int bit_length = 1;  // 1 to kMaxBinBits
  // The targets role's own keys, for other clients: Ferry checks bins by the role of its root.
  KeyMap keys;
  RoleKeys role;
  // Of each bin, by its number: that of the targets that it was signed with. Offline keys say it
  // above, so that a thief of online keys cannot put an older bin beside newer targets.
  std::vector<int64_t> versions;
  // The earliest of the bins that were read, 0 for none; not in the JSON.
  int64_t expires_ms = 0;
  bool operator==(const HashBins&) const = default;

  size_t count() const { return size_t{1} << bit_length; }
};

// "bin-0f"; its document is bin-0f.json.
std::string BinName(int bit_length, size_t number);
// The number and name of the bin that `path` falls into.
size_t BinNumberOf(int bit_length, std::string_view path);
std::string BinOf(const HashBins& bins, std::string_view path);
// nullopt for a name that is none of these bins.
std::optional<size_t> BinNumber(const HashBins& bins, std::string_view name);
// Whether it is the name of a bin of any spread.
bool IsBinName(std::string_view name);

// The member "delegations" of the signed part of targets, and the versions, which stand in the
// member "ferry" there. FromJson: nullopt without bins; kMalformed.
Json HashBinsToJson(const HashBins& bins);
Result<std::optional<HashBins>> HashBinsFromJson(const Json& delegations, const Json* ferry);

}  // namespace ferry::trust

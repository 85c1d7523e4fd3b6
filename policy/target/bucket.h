// Sticky percentages: which devices belong to the first p percent. Source: LaunchDarkly and Unleash
// (bucket of a salted hash), with a missing id never in any share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::target {

// Shares are counted in millionths of a percent, so that every evaluator agrees to the bit.
using Share = int64_t;
inline constexpr Share kWholeShare = 100'000'000;
inline constexpr Share kOnePercent = kWholeShare / 100;

// "20", "0.5", "12.345678" (at most six decimals, 0 to 100) as a share; kBadRule otherwise.
Result<Share> ParseShare(std::string_view text);
// The shortest decimal of it: "20", "0.5".
std::string PrintShare(Share share);

// The 64-bit hash that every part of Ferry uses: FNV-1a (64 bit) over the salt, one zero byte and
// the device id, followed by the MurmurHash3 finaliser fmix64. Two salts give independent buckets.
uint64_t BucketHash(std::string_view salt, std::string_view device_id);

// Bucket in [0, kWholeShare): floor(hash * kWholeShare / 2^64).
Share BucketOf(std::string_view salt, std::string_view device_id);

// Whether the device is within the first `share`. Growing the share never drops a device. False
// for an empty id.
bool InShare(Share share, std::string_view salt, std::string_view device_id);

}  // namespace ferry::target

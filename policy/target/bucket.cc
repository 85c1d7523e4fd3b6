#include "policy/target/bucket.h"

namespace ferry::target {
namespace {

// Offset basis and prime of FNV-1a, 64 bit (Fowler, Noll, Vo).
constexpr uint64_t kFnvBasis = 0xcbf29ce484222325, kFnvPrime = 0x100000001b3;

constexpr size_t kDecimals = 6;

uint64_t Fnv(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kFnvPrime;
  return hash;
}

// fmix64 of MurmurHash3: spreads the low bits of FNV into the high ones, which buckets use.
uint64_t Mix(uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

}  // namespace

Result<Share> ParseShare(std::string_view text) {
  const auto bad = [text](std::string_view why) {
    return Status::Of(Code::kBadRule, "\"{}\" is no percentage: {}", text.substr(0, 32), why);
  };
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::string_view decimals = dot == std::string_view::npos ? "" : text.substr(dot + 1);
  if (dot != std::string_view::npos && decimals.empty()) return bad("no digit after the point");
  if (whole.empty() || whole.size() > 3) return bad("not from 0 to 100");
  if (decimals.size() > kDecimals) return bad("more than six decimals");
  Share share = 0;
  for (size_t i = 0; i < whole.size() + kDecimals; ++i) {
    const size_t behind = i - whole.size();  // the point
    const char c = i < whole.size() ? whole[i] : behind < decimals.size() ? decimals[behind] : '0';
    if (c < '0' || c > '9') return bad("not a decimal number");
    share = share * 10 + (c - '0');
  }
  if (share > kWholeShare) return bad("over 100");
  return share;
}

std::string PrintShare(Share share) {
  std::string out = fmt::format("{}.{:06}", share / kOnePercent, share % kOnePercent);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

uint64_t BucketHash(std::string_view salt, std::string_view device_id) {
  const uint64_t salted = Fnv(Fnv(kFnvBasis, salt), std::string_view("\0", 1));
  return Mix(Fnv(salted, device_id));
}

Share BucketOf(std::string_view salt, std::string_view device_id) {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(BucketHash(salt, device_id)) * kWholeShare;
  return static_cast<Share>(product >> 64);
}

bool InShare(Share share, std::string_view salt, std::string_view device_id) {
  return !device_id.empty() && BucketOf(salt, device_id) < share;
}

}  // namespace ferry::target

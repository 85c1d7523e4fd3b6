#include "common/trust/documents/bins/bins.h"

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/trust/documents/header.h"

namespace ferry::trust {
namespace {

constexpr size_t kMaxBinKeys = 64;

Result<HashBins> SpreadFromJson(const Json& delegations, const Json& spread) {
  HashBins out;
  FERRY_ASSIGN_OR_RETURN(const int64_t bits, GetIntIn(spread, "bit_length", 1, kMaxBinBits));
  out.bit_length = static_cast<int>(bits);
  FERRY_ASSIGN_OR_RETURN(const std::string prefix, GetString(spread, "name_prefix"));
  if (prefix != kBinPrefix) {
    return Status::Of(Code::kMalformed, "field \"name_prefix\" is \"{:.40}\", not \"{}\"", prefix,
                      kBinPrefix);
  }
  FERRY_ASSIGN_OR_RETURN(out.role.key_ids, GetStrings(spread, "keyids"));
  if (out.role.key_ids.empty() || out.role.key_ids.size() > kMaxBinKeys) {
    return Status::Of(Code::kMalformed, "{} keys of bins, wanted 1 to {}", out.role.key_ids.size(),
                      kMaxBinKeys);
  }
  FERRY_ASSIGN_OR_RETURN(
      const int64_t threshold,
      GetIntIn(spread, "threshold", 1, static_cast<int64_t>(out.role.key_ids.size())));
  out.role.threshold = static_cast<int>(threshold);
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetObject(delegations, "keys"));
  for (const std::string& id : out.role.key_ids) {
    FERRY_ASSIGN_OR_RETURN(const Json* object, GetObject(*keys, id));
    FERRY_ASSIGN_OR_RETURN(const PublicKey key, KeyFromJson(*object).Context("key {:.12}", id));
    if (KeyIdOf(key) == id && out.keys.emplace(id, key).second) continue;
    return Status::Of(Code::kMalformed, "key {:.12} is not the SHA-256 of its key object, or twice",
                      id);
  }
  return out;
}

Result<std::vector<int64_t>> VersionsFromJson(const Json& ferry, size_t count) {
  FERRY_ASSIGN_OR_RETURN(const Json* list, GetArray(ferry, "bins"));
  if (list->size() != count) {
    return Status::Of(Code::kMalformed, "{} versions of {} bins", list->size(), count);
  }
  std::vector<int64_t> out;
  for (const Json& item : *list) {
    const bool number = item.is_number_integer() || item.is_number_unsigned();
    const int64_t version = number ? item.get<int64_t>() : 0;
    if (version < 1 || version > kMaxVersion) {
      return Status(Code::kMalformed, "the version of a bin is no version");
    }
    out.push_back(version);
  }
  return out;
}

}  // namespace

std::string BinName(int bit_length, size_t number) {
  return fmt::format("{}-{:0{}x}", kBinPrefix, number, (bit_length + 3) / 4);
}

size_t BinNumberOf(int bit_length, std::string_view path) {
  return size_t{crypto::Sha256(AsBytes(path))[0]} >> (kMaxBinBits - bit_length);
}

std::string BinOf(const HashBins& bins, std::string_view path) {
  return BinName(bins.bit_length, BinNumberOf(bins.bit_length, path));
}

std::optional<size_t> BinNumber(const HashBins& bins, std::string_view name) {
  for (size_t number = 0; number < bins.count(); ++number)
    if (BinName(bins.bit_length, number) == name) return number;
  return std::nullopt;
}

bool IsBinName(std::string_view name) {
  if (!name.starts_with(kBinPrefix) || name.size() <= kBinPrefix.size()) return false;
  name.remove_prefix(kBinPrefix.size());
  if (name[0] != '-' || name.size() < 2 || name.size() > 3) return false;
  return name.substr(1).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Json HashBinsToJson(const HashBins& bins) {
  Json keys = Json::object();
  for (const auto& [id, key] : bins.keys) keys[id] = KeyToJson(key);
  return {{"keys", std::move(keys)},
          {"succinct_roles",
           {{"keyids", bins.role.key_ids},
            {"threshold", bins.role.threshold},
            {"bit_length", bins.bit_length},
            {"name_prefix", kBinPrefix}}}};
}

Result<std::optional<HashBins>> HashBinsFromJson(const Json& delegations, const Json* ferry) {
  FERRY_ASSIGN_OR_RETURN(const Json* spread, GetObjectOrNull(delegations, "succinct_roles"));
  if (spread == nullptr) return std::optional<HashBins>();
  FERRY_ASSIGN_OR_RETURN(HashBins out, SpreadFromJson(delegations, *spread).Context("bins"));
  if (ferry == nullptr) return Status(Code::kMalformed, "bins without their versions");
  FERRY_ASSIGN_OR_RETURN(out.versions, VersionsFromJson(*ferry, out.count()).Context("bins"));
  return std::optional<HashBins>(std::move(out));
}

}  // namespace ferry::trust

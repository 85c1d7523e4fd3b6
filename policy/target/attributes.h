// What policies know of a device: the attributes that rules test. Pure data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::target {

class Groups;

// An attribute that a device did not send is nullopt (or absent from `extra`); it is never the
// empty string. Tags are a set: a device without tags has none, which is known, not missing. All
// but the id, the operator's tags and the groups are the device's own words.
struct Attributes {
  std::string device_id;  // hexadecimal id given at enrolment; empty: not known
  std::optional<std::string> os;
  std::optional<std::string> app_version;  // semver of the embedding app
  std::optional<std::string> device_class;
  std::optional<std::string> runtime_version;  // semver of Ferry's runtime
  std::vector<std::string> tags;               // what the device calls itself
  std::vector<std::string> operator_tags;      // what the operator calls it
  std::map<std::string, std::string> extra;
  std::optional<int64_t> memory_bytes;  // as the system counts it: a little under what is built in
  std::optional<int64_t> free_bytes;    // of the disk that packages lie on
  // What its processor runs, "x86_64", "avx2"; empty: not known, since every processor has one.
  std::vector<std::string> isa;
  std::optional<std::string> measured_class;  // what the runtime measured, not what the app says
  std::map<std::string, std::string> user;    // of the app, about who uses it
  bool at_rest = false;                       // it has a key to seal what lies on its disk
  std::vector<std::string> groups;            // the fixed lists that name the device
  std::optional<int> utc_offset_minutes{};    // of local time; no rule tests it
  // All groups of the fleet, with the rules of those that have one. Null: `groups` is all there is.
  std::shared_ptr<const Groups> fleet_groups{};
};

inline constexpr size_t kMaxAttributeBytes = 256;  // of one value, tag or extra key
inline constexpr size_t kMaxTags = 64;
inline constexpr size_t kMaxExtra = 64;  // entries of `extra`, and of `user`
inline constexpr size_t kMaxIsa = 32;
inline constexpr size_t kMaxGroupsOfDevice = 256;

// Without its own tags, `extra` and `user`: what it calls itself. What else it says tells which
// build fits; who lies there gets one that does not run.
Attributes WithoutClaims(Attributes attributes);

// {"device_id":..,"os":..,"app_version":..,"device_class":..,"runtime_version":..,"tags":[..],
// "operator_tags":[..],"extra":{..},"memory_bytes":..,"free_bytes":..,"isa":[..],
// "measured_class":..,"user":{..},"at_rest":bool,"groups":[..]}; every member may be missing; empty
// strings count as missing.
// kMalformed names the member of a wrong type, kLimitExceeded the one past a limit.
Result<Attributes> AttributesFromJson(const Json& json);
Json AttributesToJson(const Attributes& attributes);

// The groups whose failures are counted apart: "all", and "os=..", "device_class=..",
// "app_version=.." for what is known. Sorted as listed here.
std::vector<std::string> SlicesOf(const Attributes& attributes);

}  // namespace ferry::target

// What policies know of a device: the attributes that rules test. Pure data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry::target {

// An attribute that a device did not send is nullopt (or absent from `extra`); it is never the
// empty string. Tags are a set: a device without tags has none, which is known, not missing.
struct Attributes {
  std::string device_id;  // hexadecimal id given at enrolment; empty: not known
  std::optional<std::string> os;
  std::optional<std::string> app_version;  // semver of the embedding app
  std::optional<std::string> device_class;
  std::optional<std::string> runtime_version;  // semver of Ferry's runtime
  std::vector<std::string> tags;
  std::map<std::string, std::string> extra;
};

inline constexpr size_t kMaxAttributeBytes = 256;  // of one value, tag or extra key
inline constexpr size_t kMaxTags = 64;
inline constexpr size_t kMaxExtra = 64;

// {"device_id":..,"os":..,"app_version":..,"device_class":..,"runtime_version":..,"tags":[..],
// "extra":{..}}; every member may be missing; empty strings count as missing. kMalformed names the
// member of a wrong type, kLimitExceeded the one past a limit.
Result<Attributes> AttributesFromJson(const Json& json);
Json AttributesToJson(const Attributes& attributes);

// The groups whose failures are counted apart: "all", and "os=..", "device_class=..",
// "app_version=.." for what is known. Sorted as listed here.
std::vector<std::string> SlicesOf(const Attributes& attributes);

}  // namespace ferry::target

// JSON values without exceptions: nlohmann/json behind a parser with limits and getters that return
// Result. Code of Ferry never calls at(), get<>() or operator[] on a const value: those throw or
// abort on outside input.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/base/status.h"

namespace ferry {

// Parses one value in UTF-8. kMalformed names the place; kLimitExceeded past kMaxJsonBytes or
// kMaxJsonDepth.
Result<Json> ParseJson(std::string_view text);
// Text of `value` on one line, or indented by two spaces; bytes that are not UTF-8 become U+FFFD.
std::string WriteJson(const Json& value);
std::string WriteJsonPretty(const Json& value);
// The canonical form that signatures cover: sorted keys, no spaces, no floats (OLPC canonical JSON
// as TUF uses it, with control characters escaped as JSON does). kInvalidArgument when `value`
// holds a float.
Result<std::string> WriteCanonicalJson(const Json& value);

// Members of an object. The plain form fails with kMalformed when the member is missing or of
// another type, and names it; the Or form gives `fallback` when it is missing (null counts as
// missing) and still fails on another type.
Result<std::string> GetString(const Json& object, std::string_view key);
Result<int64_t> GetInt(const Json& object, std::string_view key);
Result<double> GetNumber(const Json& object, std::string_view key);
Result<bool> GetBool(const Json& object, std::string_view key);
Result<std::string> GetStringOr(const Json& object, std::string_view key, std::string fallback);
Result<int64_t> GetIntOr(const Json& object, std::string_view key, int64_t fallback);
Result<double> GetNumberOr(const Json& object, std::string_view key, double fallback);
Result<bool> GetBoolOr(const Json& object, std::string_view key, bool fallback);
// Borrowed from `object`. The Or-null forms give nullptr when the member is missing.
Result<const Json*> GetObject(const Json& object, std::string_view key);
Result<const Json*> GetArray(const Json& object, std::string_view key);
Result<const Json*> GetObjectOrNull(const Json& object, std::string_view key);
Result<const Json*> GetArrayOrNull(const Json& object, std::string_view key);
// An array of strings; missing is an error in the first, empty in the second.
Result<std::vector<std::string>> GetStrings(const Json& object, std::string_view key);
Result<std::vector<std::string>> GetStringsOr(const Json& object, std::string_view key);

}  // namespace ferry

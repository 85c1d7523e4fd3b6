#include "policy/requires/requires.h"

#include <algorithm>

#include "common/base/json.h"
#include "policy/target/number.h"
#include "policy/target/range.h"

namespace ferry::requires_ {
namespace {

Status BadMember(std::string_view member, std::string_view why) {
  return Status::Of(Code::kMalformed, "requires.{}: {}", member, why);
}

Status CheckText(std::string_view member, std::string_view text) {
  if (text.empty()) return BadMember(member, "it is empty");
  if (text.size() <= target::kMaxAttributeBytes) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "requires.{}: {} bytes, at most {}", member, text.size(),
                    target::kMaxAttributeBytes);
}

Status CheckCount(std::string_view member, size_t count, size_t most) {
  if (count <= most) return OkStatus();
  return Status::Of(Code::kLimitExceeded, "requires.{}: {} entries, at most {}", member, count,
                    most);
}

Status ReadNames(const Json& json, std::string_view member, std::vector<std::string>* out) {
  if (!json.contains(member)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(*out, GetStringsOr(json, member));
  if (out->empty()) return BadMember(member, "it is empty, and no device would fit");
  FERRY_TRY(CheckCount(member, out->size(), kMaxNames));
  for (const std::string& name : *out) FERRY_TRY(CheckText(member, name));
  return OkStatus();
}

Status ReadText(const Json& json, std::string_view member, std::string* out) {
  if (!json.contains(member)) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(*out, GetString(json, member));
  return CheckText(member, *out);
}

Status ReadPackages(const Json& json, Requires* out) {
  FERRY_ASSIGN_OR_RETURN(const Json* packages, GetObjectOrNull(json, "packages"));
  if (packages != nullptr) {
    FERRY_TRY(CheckCount("packages", packages->size(), kMaxPackages));
    for (const auto& [name, value] : packages->items()) {
      FERRY_TRY(CheckText("packages", name));
      FERRY_ASSIGN_OR_RETURN(std::string range, GetString(*packages, name));
      if (auto parsed = target::ParseRange(range); !parsed.ok())
        return BadMember("packages." + name, parsed.status().message());
      out->packages[name] = std::move(range);
    }
  }
  FERRY_TRY(ReadText(json, "base", &out->base));
  if (out->base.empty() || out->packages.contains(out->base)) return OkStatus();
  return BadMember("base", "\"" + out->base + "\" is not among the packages that it needs");
}

Status CheckMembers(const Json& json) {
  static constexpr std::string_view kKnown[] = {"at_rest", "base",     "isa",    "memory",
                                                "os",      "packages", "runtime"};
  for (const auto& [member, value] : json.items())
    if (std::find(std::begin(kKnown), std::end(kKnown), member) == std::end(kKnown))
      return BadMember(member.substr(0, 40), "there is no such requirement");
  return OkStatus();
}

// A plain version was the least one before there were ranges, and stays it.
Result<target::VersionRange> RuntimeRange(std::string_view runtime) {
  const bool plain = target::ParseVersion(runtime).ok();
  return target::ParseRange(plain ? fmt::format(">={}", runtime) : std::string(runtime));
}

std::string Names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " or ") + name;
  return out;
}

bool Shares(const std::vector<std::string>& wanted, const std::vector<std::string>& has) {
  return std::find_first_of(wanted.begin(), wanted.end(), has.begin(), has.end()) != wanted.end();
}

// What the machine lacks; empty when it fits.
std::string MachineLacks(const Requires& needs, const target::Attributes& device) {
  if (!needs.runtime.empty()) {
    if (!device.runtime_version)
      return fmt::format("needs runtime {}, runtime_version is not known", needs.runtime);
    const auto fits = RuntimeFits(needs.runtime, *device.runtime_version);
    if (!fits.ok() || !*fits)
      return fmt::format("needs runtime {}, runtime_version is {}", needs.runtime,
                         *device.runtime_version);
  }
  if (!needs.os.empty() && (!device.os || !Shares(needs.os, {*device.os})))
    return fmt::format("needs os {}, os is {}", Names(needs.os), device.os.value_or("not known"));
  if (!needs.isa.empty() && !Shares(needs.isa, device.isa))
    return fmt::format(
        "needs isa {}, isa is {}", Names(needs.isa),
        device.isa.empty() ? "not known" : fmt::format("{}", fmt::join(device.isa, " ")));
  if (needs.at_rest && !device.at_rest) return "needs at_rest sealed, the device has no key for it";
  if (needs.memory.empty()) return "";
  const auto least = target::ParseSize(needs.memory);
  if (least.ok() && device.memory_bytes && *device.memory_bytes >= *least) return "";
  return fmt::format("needs memory >= {}, memory is {}", needs.memory,
                     device.memory_bytes ? target::PrintSize(*device.memory_bytes) : "not known");
}

std::string PackageLacks(const std::string& name, const std::string& range,
                         const std::map<std::string, std::string>& packages) {
  const auto at = packages.find(name);
  if (at == packages.end())
    return fmt::format("needs package {} {}, which the device has not", name, range);
  const auto wanted = target::ParseRange(range);
  const auto version = target::ParseVersion(at->second);
  if (wanted.ok() && version.ok() && Contains(*wanted, *version)) return "";
  return fmt::format("needs package {} {}, the device has {}", name, range, at->second);
}

}  // namespace

Result<Requires> RequiresFromJson(const Json& json) {
  if (!json.is_object()) return Status(Code::kMalformed, "requires: it is no object");
  FERRY_TRY(CheckMembers(json));
  Requires out;
  FERRY_TRY(ReadText(json, "runtime", &out.runtime));
  if (!out.runtime.empty()) {
    if (auto range = RuntimeRange(out.runtime); !range.ok())
      return BadMember("runtime", range.status().message());
  }
  FERRY_TRY(ReadNames(json, "os", &out.os));
  FERRY_TRY(ReadNames(json, "isa", &out.isa));
  FERRY_TRY(ReadText(json, "memory", &out.memory));
  if (!out.memory.empty()) {
    if (auto size = target::ParseSize(out.memory); !size.ok())
      return BadMember("memory", size.status().message());
  }
  std::string at_rest;
  FERRY_TRY(ReadText(json, "at_rest", &at_rest));
  if (!at_rest.empty() && at_rest != "sealed")
    return BadMember("at_rest", "it is \"" + at_rest.substr(0, 40) + "\", wanted \"sealed\"");
  out.at_rest = !at_rest.empty();
  FERRY_TRY(ReadPackages(json, &out));
  return out;
}

Result<Requires> RequiresFromText(std::string_view text) {
  if (text.empty()) return Requires();
  if (text.size() > kMaxRequiresBytes)
    return Status::Of(Code::kLimitExceeded, "requires: {} bytes, at most {}", text.size(),
                      kMaxRequiresBytes);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("requires"));
  return RequiresFromJson(json);
}

Result<bool> RuntimeFits(std::string_view runtime, std::string_view version) {
  FERRY_ASSIGN_OR_RETURN(const target::VersionRange range, RuntimeRange(runtime));
  FERRY_ASSIGN_OR_RETURN(const target::Version own, target::ParseVersion(version));
  return Contains(range, own);
}

Status CheckPackages(const Requires& needs, const std::map<std::string, std::string>& packages) {
  for (const auto& [name, range] : needs.packages)
    if (const std::string lacks = PackageLacks(name, range, packages); !lacks.empty())
      return Status(Code::kFailedPrecondition, lacks);
  return OkStatus();
}

Status CheckPublished(const Requires& needs,
                      const std::map<std::string, std::vector<std::string>>& published) {
  for (const auto& [name, range] : needs.packages) {
    const auto found = published.find(name);
    if (found == published.end() || found->second.empty())
      return Status::Of(Code::kInvalidArgument,
                        "needs package {} {}, of which nothing is published", name, range);
    const auto fit = [&package = name, &wanted = range](const std::string& version) {
      return PackageLacks(package, wanted, {{package, version}}).empty();
    };
    const bool fits = std::any_of(found->second.begin(), found->second.end(), fit);
    if (!fits)
      return Status::Of(Code::kInvalidArgument,
                        "needs package {} {}, of which only {} are published", name, range,
                        fmt::join(found->second, ", "));
  }
  return OkStatus();
}

Fit CheckRequires(const Requires& needs, const target::Attributes& device,
                  const std::map<std::string, std::string>& packages) {
  std::string lacks = MachineLacks(needs, device);
  for (const auto& [name, range] : needs.packages)
    if (lacks.empty()) lacks = PackageLacks(name, range, packages);
  if (!lacks.empty()) return {false, std::move(lacks)};
  return {true, "fits"};
}

}  // namespace ferry::requires_

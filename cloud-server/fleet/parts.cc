#include "cloud-server/fleet/parts.h"

#include <algorithm>

#include "cloud-server/fleet/device.h"
#include "policy/target/predicate.h"

namespace ferry::server::fleet {
namespace {

// A length before each text, so that no two contents have the same key.
void AddKey(std::string_view text, std::string* key) {
  *key += std::to_string(text.size());
  *key += ':';
  *key += text;
}
void AddKey(const std::optional<std::string>& text, std::string* key) {
  if (text) AddKey(std::string_view(*text), key);
}
void AddKey(const std::vector<std::string>& texts, std::string* key) {
  for (const std::string& text : texts) AddKey(std::string_view(text), key);
}
void AddKey(const std::map<std::string, std::string>& map, std::string* key) {
  for (const auto& [name, value] : map) {
    AddKey(std::string_view(name), key);
    AddKey(std::string_view(value), key);
  }
}

void AddKeyOf(const Device& device, size_t part, std::string* key) {
  switch (part) {
    case kPartOs:
      return AddKey(device.os, key);
    case kPartAppVersion:
      return AddKey(device.app_version, key);
    case kPartDeviceClass:
      return AddKey(device.device_class, key);
    case kPartMeasuredClass:
      return AddKey(device.measured_class, key);
    case kPartRuntimeVersion:
      return AddKey(device.runtime_version, key);
    case kPartTags:
      AddKey(device.operator_tags, key);
      *key += '|';
      return AddKey(device.tags, key);
    case kPartGroups:
      return AddKey(device.groups, key);
    case kPartExtra:
      return AddKey(device.extra, key);
    case kPartIsa:
      return AddKey(device.isa, key);
    case kPartUser:
      return AddKey(device.user, key);
    case kPartRunning:
      return AddKey(device.running, key);
    default:
      return AddKey(std::string_view(device.state), key);
  }
}

struct Reader {
  std::string_view predicate;
  Part part;
};
constexpr Reader kReaders[] = {
    {"app_version", kPartAppVersion},
    {"device_class", kPartDeviceClass},
    {"extra", kPartExtra},
    {"isa", kPartIsa},
    {"measured_class", kPartMeasuredClass},
    {"operator_tag", kPartTags},
    {"os", kPartOs},
    {"own_tag", kPartTags},
    {"runs", kPartRunning},
    {"runtime_version", kPartRuntimeVersion},
    {"state", kPartState},
    {"tag", kPartTags},
    {"user", kPartUser},
};

}  // namespace

std::optional<Part> PartReadBy(const target::Condition& condition) {
  const auto* const found = std::lower_bound(
      std::begin(kReaders), std::end(kReaders), condition.predicate->name(),
      [](const Reader& one, std::string_view name) { return one.predicate < name; });
  if (found == std::end(kReaders) || found->predicate != condition.predicate->name()) return {};
  return found->part;
}

void PartCodes::Encode(Device* device) {
  std::string key;
  for (size_t part = 0; part < kParts; ++part) {
    key.clear();
    AddKeyOf(*device, part, &key);
    auto& codes = codes_[part];
    device->codes[part] = codes.emplace(key, static_cast<uint32_t>(codes.size())).first->second;
  }
}

size_t PartCodes::size() const {
  size_t most = 0;
  for (const auto& codes : codes_) most = std::max(most, codes.size());
  return most;
}

void PartCodes::Clear() {
  for (auto& codes : codes_) codes.clear();
}

}  // namespace ferry::server::fleet

// Devices of a fleet are much alike: what one says of a part of itself, another says too. Each part
// is numbered by its content, so that a condition is asked once for a content and not once for a
// device.
// ---- parts.cc
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "policy/target/rule.h"

namespace ferry::server::fleet {

struct Device;

enum Part : size_t {
  kPartOs,
  kPartAppVersion,
  kPartDeviceClass,
  kPartMeasuredClass,
  kPartRuntimeVersion,
  kPartTags,  // the operator's and its own
  kPartGroups,
  kPartExtra,
  kPartIsa,
  kPartUser,
  kPartRunning,
  kPartState,
  kParts,
};

// Two devices of one fleet have the same number for a part when that part is the same.
using Codes = std::array<uint32_t, kParts>;

// The part that decides what the condition is for a device; none where it reads others, or several.
std::optional<Part> PartReadBy(const target::Condition& condition);

// Gives the numbers. Not for several threads at once.
class PartCodes {
 public:
  void Encode(Device* device);
  // Of the part with the most contents, also those that no device has any more.
  size_t size() const;
  void Clear();

 private:
  std::array<std::unordered_map<std::string, uint32_t>, kParts> codes_;
};

}  // namespace ferry::server::fleet

// The devices of a fleet, in ascending order of their ids, with what most searches read of each
// side by side: a device itself lies elsewhere in memory for each, and a million such ways are
// longer than the rest of a search.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "cloud-server/fleet/device.h"

namespace ferry::server::fleet {

struct Face {
  static constexpr size_t kIdBytes = 32;  // a device's id has as many

  explicit Face(const Device& device) : codes(device.codes), blocked(device.blocked) {
    if (device.device_id.size() > kIdBytes) return;
    id_bytes = static_cast<uint8_t>(device.device_id.copy(id.data(), kIdBytes));
  }
  // `device`: whose face it is.
  std::string_view IdOf(const Device& device) const {
    return id_bytes > 0 ? std::string_view(id.data(), id_bytes) : device.device_id;
  }

  Codes codes;
  std::array<char, kIdBytes> id{};
  uint8_t id_bytes = 0;  // 0: it is longer, and the device has it
  bool blocked;
};

struct Devices {
  std::vector<std::unique_ptr<Device>> all;
  std::vector<Face> faces;  // of each

  size_t size() const { return all.size(); }
  auto begin() const { return all.begin(); }
  auto end() const { return all.end(); }
  const std::unique_ptr<Device>& operator[](size_t i) const { return all[i]; }
};

}  // namespace ferry::server::fleet

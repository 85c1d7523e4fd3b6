// What a device's have text says, sealed by the server for itself: whose it is, and what the
// releases were when the device was last answered. Apps and the servers between see letters that
// are others after each answer, so that no text follows a device about.
// ---- text.cc
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/crypto/secret.h"
#include "common/sys/random.h"

namespace ferry::server {

// Older texts are not read: by then each device has polled.
inline constexpr int64_t kHaveTextDays = 30;

struct Have {
  std::string device;
  int64_t generation = 0;  // of the releases that its last answer was made from
  bool operator==(const Have&) const = default;
};

// `secret`: all nodes of a server share it. Empty for a device whose id is not 16 bytes in hex.
std::string SealHave(const crypto::Secret32& secret, const Have& have, int64_t now_ms,
                     sys::Random& random);
// Nothing for a text that this server did not make, or not in the last kHaveTextDays.
std::optional<Have> OpenHave(const crypto::Secret32& secret, std::string_view text, int64_t now_ms);

}  // namespace ferry::server

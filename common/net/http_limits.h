// What doors that speak HTTP let a peer have: the operators' door, `ferry serve`, and devices that
// fetch content.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry::net {

inline constexpr uint32_t kMaxHttpHeadBytes = 16 << 10;      // of a whole head
inline constexpr uint32_t kMaxContentHeadBytes = 8 << 10;    // of a device that fetches content
inline constexpr size_t kMaxHttpHeadFields = 64;             // of a head
inline constexpr size_t kMaxHttpConnectionsAnAddress = 128;  // more are closed at once
// For a TLS handshake and a whole head, from the connection or the answer before: who sends it byte
// by byte gains nothing.
inline constexpr int kHttpHeadMs = 10'000;
inline constexpr int kHttpStallMs = 30'000;  // for a peer that stops reading or writing

}  // namespace ferry::net

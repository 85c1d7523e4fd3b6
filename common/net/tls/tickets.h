// Keys that a server seals its TLS tickets with (RFC 8446, 4.6.1): made from its private key and
// the time, so that a ticket holds over a restart and at every node with that key, and a key that
// was found out opens the tickets of half a day. Who has the private key can make them all, and
// needs none. For this room only.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ferry::net {

inline constexpr int64_t kTicketLifeSeconds = 12 * 3600;

// What the keys of all times are made from.
using TicketSecret = std::array<uint8_t, 64>;

struct TicketKey {
  std::array<uint8_t, 16> name;
  std::array<uint8_t, 32> mac;
  std::array<uint8_t, 32> cipher;
};

// Nothing when out of memory.
std::optional<TicketSecret> TicketSecretOf(const std::string& private_key_pem);
// The key that seals at this time.
std::optional<TicketKey> TicketKeyAt(const TicketSecret& secret, int64_t now_s);
// That of a ticket which says `name`: of now, of the time before, or of the next one, since the
// clocks of nodes differ. Nothing for any other.
std::optional<TicketKey> TicketKeyNamed(const TicketSecret& secret, const uint8_t* name,
                                        int64_t now_s);

// Has the tickets of `context` sealed so; again: with those of another private key.
bool SealTickets(SSL_CTX* context, const std::string& private_key_pem);

}  // namespace ferry::net

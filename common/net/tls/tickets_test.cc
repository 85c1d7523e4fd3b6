#include "common/net/tls/tickets.h"

#include <gtest/gtest.h>

namespace ferry::net {
namespace {

constexpr int64_t kNoonS = int64_t{1'000'000} * kTicketLifeSeconds;

bool Knows(const TicketSecret& secret, const TicketKey& key, int64_t now_s) {
  const auto found = TicketKeyNamed(secret, key.name.data(), now_s);
  return found && found->cipher == key.cipher && found->mac == key.mac;
}

TEST(Tickets, EveryNodeWithThePrivateKeyMakesTheSameKeys) {
  const TicketSecret one = *TicketSecretOf("a key"), two = *TicketSecretOf("a key");
  const TicketKey key = *TicketKeyAt(one, kNoonS);
  EXPECT_TRUE(Knows(two, key, kNoonS));
  EXPECT_FALSE(Knows(*TicketSecretOf("another"), key, kNoonS));
  EXPECT_NE(key.cipher, key.mac);
}

TEST(Tickets, AKeySealsForHalfADayAndOpensForAsLongAgain) {
  const TicketSecret secret = *TicketSecretOf("a key");
  const TicketKey key = *TicketKeyAt(secret, kNoonS);
  EXPECT_EQ(TicketKeyAt(secret, kNoonS + kTicketLifeSeconds - 1)->name, key.name);
  const TicketKey next = *TicketKeyAt(secret, kNoonS + kTicketLifeSeconds);
  EXPECT_NE(next.name, key.name);
  EXPECT_NE(next.cipher, key.cipher);
  // The last ticket that it sealed lives so long.
  EXPECT_TRUE(Knows(secret, key, kNoonS + 2 * kTicketLifeSeconds - 1));
  EXPECT_FALSE(Knows(secret, key, kNoonS + 2 * kTicketLifeSeconds));
  // A node whose clock is behind takes it too.
  EXPECT_TRUE(Knows(secret, key, kNoonS - 5));
  EXPECT_FALSE(Knows(secret, key, kNoonS - kTicketLifeSeconds - 1));
}

}  // namespace
}  // namespace ferry::net

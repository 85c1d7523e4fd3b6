// The root role: which keys may sign what. Source: TUF specification 1.0, section 4.3; the custom
// member "ferry" (director and escrow keys, the server's line) is our own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "common/sys/net.h"
#include "common/trust/key.h"

namespace ferry::trust {

inline constexpr size_t kMaxRootKeys = 64;
inline constexpr size_t kMaxLineAuthorities = 8;
inline constexpr size_t kMaxLineAddresses = 8;
inline constexpr size_t kMaxHostBytes = 255;

// Where devices find their server and by which authorities they know it. What is empty is as in the
// join token.
struct Line {
  std::vector<std::string> authorities;  // "sha256:<hex>" each; these and no others
  std::vector<std::string> addresses;    // "host:port" each, tried in this order
  bool operator==(const Line&) const = default;
};
// FromJson: kMalformed, kLimitExceeded.
Json LineToJson(const Line& line);
Result<Line> LineFromJson(const Json& object);
// "host:port"; an IPv6 address stands in brackets. kMalformed.
Result<sys::Endpoint> AddressFromText(std::string_view text);
std::string AddressToText(const sys::Endpoint& address);

struct Root {
  int64_t version = 1;
  int64_t expires_ms = 0;
  KeyMap keys;
  RoleKeys root;
  RoleKeys targets;
  RoleKeys snapshot;
  RoleKeys timestamp;
  // Custom member "ferry": who signs assignments of devices, and the X25519 key that content keys
  // are wrapped to on their way from the publisher to the server.
  RoleKeys director;
  PublicKey escrow{};
  Line line{};

  // Adds `key` to `keys` and to the role, once.
  void AddKey(RoleKeys& role, const PublicKey& key);
};

// The signed part. FromJson: kMalformed for a missing role, a threshold that its keys cannot reach,
// key ids twice or not the hash of their key.
Json RootToJson(const Root& root);
Result<Root> RootFromJson(const Json& signed_part);

// A root document that is checked against its own root keys only: for pinned roots and publishers.
Result<Root> ParseSelfSignedRoot(ByteView document);

// The online keys of a server, as `ferry-server init` exports and `ferry keys init` reads them:
//   {"director":"<hex>","escrow":"<hex>","personal":"<hex>","snapshot":"<hex>","timestamp":"<hex>",
//    "type":"ferry-online-keys"}
// "personal" is not there when the server has no such key; targets name it, root does not. "line"
// (LineToJson) is there where the next root shall say it.
struct OnlineKeys {
  PublicKey snapshot{};
  PublicKey timestamp{};
  PublicKey director{};
  PublicKey escrow{};
  std::optional<PublicKey> personal{};
  std::optional<Line> line{};
};
std::string OnlineKeysToText(const OnlineKeys& keys);
Result<OnlineKeys> OnlineKeysFromText(std::string_view text);

}  // namespace ferry::trust

// One signed POST to a receiver that an operator named.
// ---- post.cc
#pragma once

#include <cstdint>
#include <string>

#include "common/base/status.h"

namespace ferry::server {

inline constexpr size_t kMaxWebhookUrl = 1024;
inline constexpr int kPostSeconds = 10;
inline constexpr size_t kMaxAnswerBytes = 64 << 10;

struct WebhookUrl {
  bool secure = false;
  std::string host;
  uint16_t port = 0;
  std::string path;  // with the query; "/" at least
};
// kInvalidArgument for anything but http:// or https:// with a host, and for one with a password.
Result<WebhookUrl> ParseWebhookUrl(const std::string& url);

// Whether an address (as getaddrinfo prints it) is of a network that is not everybody's: loopback,
// private, link-local, shared, multicast, or none at all.
bool IsPrivateAddress(const std::string& address);

// "t=<seconds>,v1=<hex>": HMAC-SHA-256 over "<seconds>.<body>".
std::string WebhookSignature(const std::string& secret, int64_t seconds, const std::string& body);

struct WebhookPost {
  std::string url;
  std::string secret;
  std::string kind;
  std::string delivery;  // the same for each try of one event
  std::string body;
  int64_t time_ms = 0;
  bool allow_private = false;
};
// The status that the receiver answered; any error is of the way there: kUnavailable,
// kPermissionDenied for a private address, kLimitExceeded for too much of an answer.
Result<int> SendWebhook(const WebhookPost& post);

}  // namespace ferry::server

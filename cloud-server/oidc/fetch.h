// One call of an issuer: TLS verified, no redirects, limits of time and size. Blocks; any thread.
// ---- fetch.cc
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace ferry::server::oidc {

inline constexpr int kFetchSeconds = 10;  // as a whole
inline constexpr size_t kMaxFetchBytes = 512 << 10;

struct FetchRequest {
  std::string url;
  std::string form;           // the body of a POST; empty: a GET
  std::string authorization;  // the header; empty: none
  std::string ca_file;        // PEM of whom TLS believes; empty: whom the system does
};
struct Fetched {
  int status = 0;
  std::string body;
};
using Fetcher = std::function<Result<Fetched>(const FetchRequest&)>;

// kUnavailable: no answer in time, or none that TLS believes; kLimitExceeded. Any status is an
// answer.
Result<Fetched> Fetch(const FetchRequest& request);

// "a=b&c=d", with all escaped that is no letter, digit or one of "-._~".
std::string FormOf(const std::vector<std::pair<std::string, std::string>>& fields);
std::string Escaped(std::string_view text);

}  // namespace ferry::server::oidc

// What a device needs for its first contact, as one line of text: where the server is, which
// authority its certificate has, which root to believe, and the secret that lets it join.
#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/trust/key.h"

namespace ferry::trust {

struct JoinToken {
  std::string tenant;
  std::string host;
  uint16_t port = 0;
  std::string authority;  // "sha256:<hex>", the pin of the certificate authority
  int64_t root_version = 1;
  Hash root_sha256{};  // of that root document
  Bytes secret;        // 32 bytes
  bool operator==(const JoinToken&) const = default;
};

// "ferry1." and the base64 of canonical JSON.
std::string JoinTokenToText(const JoinToken& token);
// kMalformed names the member; kUnsupported for another "ferry<n>." prefix.
Result<JoinToken> JoinTokenFromText(std::string_view text);

}  // namespace ferry::trust

// Where an S3 bucket is, and who asks: "s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME]".
// ---- address.cc
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::server::s3 {

struct Address {
  std::string endpoint;  // "https://s3.eu-central-1.amazonaws.com", without a slash at its end
  std::string bucket;
  std::string prefix;  // of all keys: empty, or with a slash at its end
  std::string region = "us-east-1";
};

struct Credentials {
  std::string key_id;
  std::string secret;
  std::string session_token;  // empty: none
};

// Without `endpoint` it is Amazon's of the region. kInvalidArgument says what is wrong.
Result<Address> ParseAddress(std::string_view url);
// From AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. kNotFound names what lacks.
Result<Credentials> CredentialsOfEnvironment();

// The host with its port, as in the Host header.
std::string HostOf(const Address& address);
// All but letters, digits and "-._~" as %XX; a slash stays where `slash` says so (RFC 3986).
std::string Encode(std::string_view text, bool slash = false);

}  // namespace ferry::server::s3

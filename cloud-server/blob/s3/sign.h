// Addresses that let their bearer fetch one object for a while: AWS Signature Version 4 in the
// query ("Authenticating Requests: Using Query Parameters", Amazon S3 API Reference). Calls are
// signed by libcurl.
// ---- sign.cc
#pragma once

#include <cstdint>
#include <string>

#include "cloud-server/blob/s3/address.h"

namespace ferry::server::s3 {

inline constexpr int64_t kMaxSignedLifeS = 7 * 86'400;  // of the specification

// For GET of `path` ("/bucket/key", not encoded), on the endpoint of `address`.
std::string SignedUrl(const Address& address, const Credentials& credentials,
                      const std::string& path, int64_t now_ms, int64_t life_s);

}  // namespace ferry::server::s3

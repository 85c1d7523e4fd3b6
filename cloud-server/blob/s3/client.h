// Calls of an S3 server by libcurl, signed with AWS Signature Version 4, repeated where that may
// help. Any thread: each call takes a connection of its own from those that wait.
// ---- client.cc
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cloud-server/blob/s3/address.h"
#include "common/base/bytes.h"

namespace ferry::server::s3 {

inline constexpr int kTries = 4;                     // of a call that may be repeated
inline constexpr int64_t kFirstPauseMs = 100;        // before the second; doubles
inline constexpr long kConnectTimeoutMs = 5'000;     // NOLINT(google-runtime-int): libcurl's
inline constexpr long kSilenceS = 30;                // NOLINT(google-runtime-int): libcurl's
inline constexpr size_t kMaxAnswerBytes = 64 << 20;  // kept in memory of an answer
inline constexpr size_t kMaxIdleConnections = 16;

// The hash of an empty body, which signatures name.
inline constexpr const char* kEmptySha256 =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct Request {
  std::string method = "GET";
  std::string key;  // of the object, with the prefix; empty: the bucket itself
  // In the order of the encoded names, as signatures have it.
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::string> headers;  // "Range: bytes=0-9"
  std::string body_sha256 = kEmptySha256;
  uint64_t body_bytes = 0;
  // Gives the body from an offset, called from 0 again where a call is repeated.
  std::function<Result<size_t>(uint64_t offset, std::span<uint8_t> out)> read_body;
  // Takes the answer's body piece by piece in place of Response::body, where the status is 2xx.
  std::function<Status(ByteView piece)> write_answer;
};

struct Response {
  long status = 0;                             // NOLINT(google-runtime-int): libcurl's
  std::map<std::string, std::string> headers;  // by lower-case name
  std::string body;
};

class Client {
 public:
  Client(Address address, Credentials credentials);
  ~Client();
  Client(const Client&) = delete;

  // Any status but 5xx and 429 is an answer. kUnavailable: nobody answers, or only such, after all
  // tries; what write_answer said.
  Result<Response> Do(const Request& request);
  const Address& address() const { return address_; }
  const Credentials& credentials() const { return credentials_; }

 private:
  struct Call;
  Result<Response> Once(const Request& request);
  void* Take();
  void GiveBack(void* handle);

  const Address address_;
  const Credentials credentials_;
  std::mutex mutex_;
  std::vector<void*> idle_;  // CURL*
};

// What an answer that is no success says, with S3's own code and message.
Status ErrorOf(const Response& response, std::string_view what);

}  // namespace ferry::server::s3

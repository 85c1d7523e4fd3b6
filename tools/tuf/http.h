// Metadata and targets over HTTP, with limits on bytes and on slowness.
#pragma once

#include <functional>
#include <string>

#include "common/trust/tuf/updater.h"

namespace ferry::tuf {

inline constexpr int kConnectSeconds = 10;
inline constexpr int kSilenceSeconds = 30;  // without a byte
// A server that sends slower than this on the whole, after a while, keeps nobody waiting.
inline constexpr int kSlowAfterSeconds = 60;
inline constexpr size_t kLeastBytesASecond = 1024;

// A server and the folder on it: "http://127.0.0.1:8080/tuf/metadata".
class HttpFolder final : public Repository {
 public:
  // `ca`: a file of certificates that https servers are checked by; the system's when empty.
  // `token`: sent as a bearer token; none when empty. kInvalidArgument for what is no URL.
  static Result<HttpFolder> Open(const std::string& url, const std::string& ca,
                                 const std::string& token = {});

  Result<Bytes> Fetch(const std::string& name, size_t limit) override;
  // Hands the content below `name` (quoted already) to `take`, piece by piece. kNotFound (also for
  // 403, as stores of objects say it), kLimitExceeded past `limit`, kDeadlineExceeded when it is
  // slow, kUnavailable.
  Status Get(const std::string& name, uint64_t limit, const std::function<Status(ByteView)>& take);

 private:
  std::string server_;  // "http://127.0.0.1:8080"
  std::string folder_;  // "/tuf/metadata/"
  std::string ca_;
  std::string token_;
};

}  // namespace ferry::tuf

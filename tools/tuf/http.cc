#include "tools/tuf/http.h"

#include <httplib.h>

#include <chrono>
#include <exception>

namespace ferry::tuf {
namespace {

using SteadyTime = std::chrono::steady_clock;

// Takes the pieces of one answer until a limit is passed; `status` then says which.
class Intake {
 public:
  Intake(uint64_t limit, const std::function<Status(ByteView)>& take)
      : limit_(limit), take_(take), start_(SteadyTime::now()) {}

  bool Take(ByteView piece) {
    got_ += piece.size();
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(SteadyTime::now() - start_).count();
    if (got_ > limit_) {
      status_ = Status::Of(Code::kLimitExceeded, "the server sends more than {} bytes", limit_);
    } else if (seconds > kSlowAfterSeconds &&
               got_ < static_cast<uint64_t>(seconds) * kLeastBytesASecond) {
      status_ = Status::Of(Code::kDeadlineExceeded, "{} bytes in {} seconds", got_, seconds);
    } else {
      status_ = take_(piece);
    }
    return status_.ok();
  }
  const Status& status() const { return status_; }

 private:
  const uint64_t limit_;
  const std::function<Status(ByteView)>& take_;
  const SteadyTime::time_point start_;
  uint64_t got_ = 0;
  Status status_;
};

}  // namespace

Result<HttpFolder> HttpFolder::Open(const std::string& url, const std::string& ca,
                                    const std::string& token) {
  const size_t scheme = url.find("://");
  const bool known = url.starts_with("http://") || url.starts_with("https://");
  if (!known || scheme + 3 >= url.size()) {
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no URL like http://127.0.0.1:8080/tuf",
                      url);
  }
  const size_t path = url.find('/', scheme + 3);
  HttpFolder out;
  out.server_ = url.substr(0, path);
  out.folder_ = path == std::string::npos ? "/" : url.substr(path);
  if (out.folder_.back() != '/') out.folder_ += '/';
  out.ca_ = ca;
  out.token_ = token;
  return out;
}

Status HttpFolder::Get(const std::string& name, uint64_t limit,
                       const std::function<Status(ByteView)>& take) {
  const std::string path = folder_ + name;
  try {
    httplib::Client client(server_);
    if (!client.is_valid()) {
      return Status::Of(Code::kInvalidArgument, "\"{}\" is no URL of a server", server_);
    }
    client.set_url_encode(false);  // `name` is quoted
    client.set_connection_timeout(kConnectSeconds);
    client.set_read_timeout(kSilenceSeconds);
    if (!ca_.empty()) client.set_ca_cert_path(ca_);
    if (!token_.empty()) client.set_bearer_token_auth(token_.c_str());
    Intake intake(limit, take);
    int status = 0;
    const auto result = client.Get(
        path,
        [&](const httplib::Response& response) {
          status = response.status;
          return status == 200;
        },
        [&](const char* data, size_t size) {
          return intake.Take(AsBytes(std::string_view(data, size)));
        });
    FERRY_TRY(intake.status().Context("{}", path));
    if (status == 404 || status == 403) {
      return Status::Of(Code::kNotFound, "{}{}: HTTP status {}", server_, path, status);
    }
    if (status != 0 && status != 200) {
      return Status::Of(Code::kUnavailable, "{}{}: HTTP status {}", server_, path, status);
    }
    if (result) return OkStatus();
    return Status::Of(Code::kUnavailable, "{}{}: {}", server_, path,
                      httplib::to_string(result.error()));
  } catch (const std::exception& error) {
    return Status::Of(Code::kInvalidArgument, "{}{}: {}", server_, path, error.what());
  }
}

Result<Bytes> HttpFolder::Fetch(const std::string& name, size_t limit) {
  Bytes out;
  FERRY_TRY(Get(name, limit, [&](ByteView piece) {
    out.insert(out.end(), piece.begin(), piece.end());
    return OkStatus();
  }));
  return out;
}

}  // namespace ferry::tuf

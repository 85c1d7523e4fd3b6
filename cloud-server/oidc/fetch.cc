#include "cloud-server/oidc/fetch.h"

#include <httplib.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "cloud-server/oidc/discovery.h"
#include "cloud-server/webhook/post.h"

namespace ferry::server::oidc {
namespace {

// Ends a call that takes too long as a whole, whatever it waits for: the library's own limits are
// of each read.
class CallDeadline {
 public:
  explicit CallDeadline(httplib::Client& client)
      : thread_([this, &client] {
          std::unique_lock lock(mutex_);
          if (done_.wait_for(lock, std::chrono::seconds(kFetchSeconds),
                             [this] { return is_done_; }))
            return;
          late_ = true;
          do {  // again, for it may have been about to connect
            client.stop();
          } while (!done_.wait_for(lock, std::chrono::seconds(1), [this] { return is_done_; }));
        }) {}
  // Whether the call was ended.
  bool Done() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    done_.notify_all();
    if (thread_.joinable()) thread_.join();
    return late_;
  }
  ~CallDeadline() { Done(); }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false, late_ = false;
  std::thread thread_;
};

httplib::Request RequestOfFetch(const FetchRequest& request, const std::string& path,
                                std::string* body, bool* too_much) {
  httplib::Request made;
  made.method = request.form.empty() ? "GET" : "POST";
  made.path = path;
  made.body = request.form;
  made.headers = {{"Accept", "application/json"}, {"User-Agent", "ferry-server"}};
  if (!request.form.empty())
    made.headers.emplace("Content-Type", "application/x-www-form-urlencoded");
  if (!request.authorization.empty()) made.headers.emplace("Authorization", request.authorization);
  made.content_receiver = [body, too_much](const char* data, size_t size, uint64_t, uint64_t) {
    *too_much = body->size() + size > kMaxFetchBytes;
    if (!*too_much) body->append(data, size);
    return !*too_much;
  };
  return made;
}

Result<Fetched> FetchOnce(const FetchRequest& request) {
  FERRY_TRY(CheckIssuerUrl(request.url));
  FERRY_ASSIGN_OR_RETURN(const WebhookUrl url, ParseWebhookUrl(request.url));
  const bool bare = url.host.find(':') != std::string::npos;
  httplib::Client client(fmt::format("{}://{}{}{}:{}", url.secure ? "https" : "http",
                                     bare ? "[" : "", url.host, bare ? "]" : "", url.port));
  if (!client.is_valid())
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no URL", request.url);
  client.set_follow_location(false);
  client.set_connection_timeout(kFetchSeconds);
  client.set_read_timeout(kFetchSeconds);
  client.set_write_timeout(kFetchSeconds);
  client.enable_server_certificate_verification(true);
  if (!request.ca_file.empty()) client.set_ca_cert_path(request.ca_file.c_str());
  Fetched fetched;
  bool too_much = false;
  const httplib::Request made = RequestOfFetch(request, url.path, &fetched.body, &too_much);
  CallDeadline deadline(client);
  const httplib::Result result = client.send(made);
  if (deadline.Done())
    return Status::Of(Code::kUnavailable, "no whole answer within {} s", kFetchSeconds);
  if (too_much)
    return Status::Of(Code::kLimitExceeded, "the answer is over {} bytes", kMaxFetchBytes);
  if (!result)
    return Status::Of(Code::kUnavailable, "no answer ({})", httplib::to_string(result.error()));
  fetched.status = result->status;
  return fetched;
}

}  // namespace

Result<Fetched> Fetch(const FetchRequest& request) {
  try {
    return FetchOnce(request).Context("{}", request.url.substr(0, 200));
  } catch (const std::exception& error) {
    return Status::Of(Code::kUnavailable, "{}: {}", request.url.substr(0, 200), error.what());
  }
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain)
      escaped += c;
    else
      escaped += fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return escaped;
}

std::string FormOf(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string form;
  for (const auto& [name, value] : fields)
    form += fmt::format("{}{}={}", form.empty() ? "" : "&", Escaped(name), Escaped(value));
  return form;
}

}  // namespace ferry::server::oidc

#include "cloud-server/blob/s3/client.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cloud-server/blob/s3/xml.h"

namespace ferry::server::s3 {
namespace {

struct Headers {
  curl_slist* list = nullptr;
  ~Headers() { curl_slist_free_all(list); }
  void Add(const std::string& line) { list = curl_slist_append(list, line.c_str()); }
};

// libcurl's own state, once a process.
void BeginCurl() {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(begun);
}

std::string UrlOf(const Address& address, const Request& request) {
  std::string url = address.endpoint + "/" + address.bucket;
  if (!request.key.empty()) url += "/" + Encode(address.prefix + request.key, true);
  char mark = '?';
  for (const auto& [name, value] : request.query) {
    url += mark + Encode(name) + "=" + Encode(value);
    mark = '&';
  }
  return url;
}

bool MayHelp(long status) {  // NOLINT(google-runtime-int): libcurl's
  return status >= 500 || status == 429;
}

}  // namespace

// One call under way; libcurl's callbacks get it.
struct Client::Call {
  CURL* handle = nullptr;
  const Request* request = nullptr;
  Response response;
  uint64_t sent = 0;
  uint64_t taken = 0;
  Status failure;  // of the caller's functions, or of an answer that is too large

  static size_t OnHeader(char* data, size_t size, size_t count, void* user) {
    auto& call = *static_cast<Call*>(user);
    const std::string_view line(data, size * count);
    const size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) call.response.headers.clear();
    if (colon == std::string_view::npos) return size * count;
    std::string name(line.substr(0, colon)), value(line.substr(colon + 1));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    value.erase(0, value.find_first_not_of(" \t"));
    value.erase(value.find_last_not_of(" \t\r\n") + 1);
    call.response.headers[std::move(name)] = std::move(value);
    return size * count;
  }

  static size_t OnBody(char* data, size_t size, size_t count, void* user) {
    auto& call = *static_cast<Call*>(user);
    const size_t bytes = size * count;
    curl_easy_getinfo(call.handle, CURLINFO_RESPONSE_CODE, &call.response.status);
    const bool good = call.response.status >= 200 && call.response.status < 300;
    if (good && call.request->write_answer) {
      call.failure = call.request->write_answer(AsBytes(std::string_view(data, bytes)));
      call.taken += bytes;
    } else if (call.response.body.size() + bytes > kMaxAnswerBytes) {
      call.failure =
          Status::Of(Code::kLimitExceeded, "an answer of more than {} bytes", kMaxAnswerBytes);
    } else {
      call.response.body.append(data, bytes);
    }
    return call.failure.ok() ? bytes : 0;
  }

  static size_t OnRead(char* data, size_t size, size_t count, void* user) {
    auto& call = *static_cast<Call*>(user);
    const uint64_t left = call.request->body_bytes - call.sent;
    const size_t wanted = static_cast<size_t>(std::min<uint64_t>(left, size * count));
    if (wanted == 0) return 0;
    Result<size_t> got =
        call.request->read_body(call.sent, std::span(reinterpret_cast<uint8_t*>(data), wanted));
    if (got.ok() && *got == 0) got = Status(Code::kIo, "the body is shorter than was said");
    if (!got.ok()) {
      call.failure = got.status();
      return CURL_READFUNC_ABORT;
    }
    call.sent += *got;
    return *got;
  }
};

Client::Client(Address address, Credentials credentials)
    : address_(std::move(address)), credentials_(std::move(credentials)) {
  BeginCurl();
}

Client::~Client() {
  for (void* handle : idle_) curl_easy_cleanup(handle);
}

void* Client::Take() {
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      void* handle = idle_.back();
      idle_.pop_back();
      return handle;
    }
  }
  return curl_easy_init();
}

void Client::GiveBack(void* handle) {
  curl_easy_reset(handle);
  {
    std::lock_guard lock(mutex_);
    if (idle_.size() < kMaxIdleConnections) {
      idle_.push_back(handle);
      return;
    }
  }
  curl_easy_cleanup(handle);
}

Result<Response> Client::Do(const Request& request) {
  int64_t pause_ms = kFirstPauseMs;
  for (int left = kTries;; --left) {
    Result<Response> response = Once(request);
    const bool again =
        response.ok() ? MayHelp(response->status) : response.code() == Code::kUnavailable;
    if (!again) return response;
    if (left == 1) return response.ok() ? ErrorOf(*response, request.method) : std::move(response);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    pause_ms *= 2;
  }
}

Result<Response> Client::Once(const Request& request) {
  const std::unique_ptr<void, std::function<void(void*)>> handle(
      Take(), [this](void* one) { GiveBack(one); });
  if (handle == nullptr) return Status(Code::kOutOfMemory, "a connection to S3");
  CURL* curl = handle.get();
  Call call;
  call.handle = curl;
  call.request = &request;
  Headers headers;
  // libcurl signs each line, also one that takes a header away: "Expect:" would then be missed.
  headers.Add("x-amz-content-sha256: " + request.body_sha256);
  if (!credentials_.session_token.empty())
    headers.Add("x-amz-security-token: " + credentials_.session_token);
  for (const std::string& line : request.headers) headers.Add(line);
  const std::string url = UrlOf(address_, request);
  const std::string signer = "aws:amz:" + address_.region + ":s3";
  char why[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, signer.c_str());
  // One by one: a name may have a colon in it, as those of Swift's tempauth have.
  curl_easy_setopt(curl, CURLOPT_USERNAME, credentials_.key_id.c_str());
  curl_easy_setopt(curl, CURLOPT_PASSWORD, credentials_.secret.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.list);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kSilenceS);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, why);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, Call::OnHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &call);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Call::OnBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &call);
  if (request.method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  if (request.method == "PUT" || request.method == "POST") {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body_bytes));
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, Call::OnRead);
    curl_easy_setopt(curl, CURLOPT_READDATA, &call);
  }
  const CURLcode code = curl_easy_perform(curl);
  if (!call.failure.ok()) return call.failure;
  if (code != CURLE_OK) {
    // Half an answer that was handed on cannot be asked for again by itself.
    const Code kind = call.taken > 0 ? Code::kIo : Code::kUnavailable;
    return Status::Of(kind, "{}: {}", address_.endpoint,
                      *why != '\0' ? why : curl_easy_strerror(code));
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &call.response.status);
  return std::move(call.response);
}

Status ErrorOf(const Response& response, std::string_view what) {
  const auto first = [&](const char* element) -> std::string {
    const auto texts = TextsOf(response.body, element);
    return texts.ok() && !texts->empty() ? texts->front().substr(0, 200) : "";
  };
  Code code = Code::kIo;
  if (response.status == 404) code = Code::kNotFound;
  if (response.status == 401 || response.status == 403) code = Code::kPermissionDenied;
  if (MayHelp(response.status)) code = Code::kUnavailable;
  // An answer to HEAD has no body that says more.
  if (response.body.empty() && code == Code::kPermissionDenied)
    return Status::Of(code,
                      "{}: S3 answers {}: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is wrong, or "
                      "they may not do this",
                      what, response.status);
  return Status::Of(code, "{}: S3 answers {} {} {}", what, response.status, first("Code"),
                    first("Message"));
}

}  // namespace ferry::server::s3

// ferry doctor: what a server looks like from here.
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>

#include "common/base/bytes.h"
#include "common/trust/time.h"
#include "tools/ferry/doctor/checks.h"
#include "tools/ferry/remote/views.h"

namespace ferry::cli {
namespace {

constexpr int64_t kMsOfSecond = 1000;

bool IsLoopback(const std::string& url) {
  for (const char* host : {"://127.", "://localhost", "://[::1]"})
    if (url.find(host) != std::string::npos) return true;
  return false;
}

DoctorCheck TrustCheck(const Api& api) {
  if (api.url().starts_with("https://")) {
    const std::string by = !api.trust().pin.empty()  ? "the pin " + api.trust().pin
                           : !api.trust().ca.empty() ? "the authorities in " + api.trust().ca
                                                     : "this system's authorities";
    return GoodCheck("trust", "its certificate names this host and is believed by " + by);
  }
  if (IsLoopback(api.url())) return GoodCheck("trust", "plain HTTP, on this machine alone");
  return BadCheck("trust", "plain HTTP: passwords and tokens cross the network readable",
                  "run ferry-server with --admin-tls and call it by https:// with --pin");
}

DoctorCheck UntrustedCheck(const Status& status) {
  return BadCheck("trust", status.message(),
                  "compare `ferry-server pin --dir DIR` at the server with --pin; a certificate "
                  "that expired or names another host: ferry-server certificate");
}

// One address of `found`, without waiting longer than a machine nearby takes.
Status TryAddress(const addrinfo& found) {
  const int descriptor =
      ::socket(found.ai_family, found.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return Status(Code::kUnavailable, std::strerror(errno));
  int error = ::connect(descriptor, found.ai_addr, found.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd ready{descriptor, POLLOUT, 0};
    error = ETIMEDOUT;
    socklen_t size = sizeof error;
    if (::poll(&ready, 1, kPortSeconds * static_cast<int>(kMsOfSecond)) > 0)
      (void)::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  ::close(descriptor);
  return error == 0 ? OkStatus() : Status(Code::kUnavailable, std::strerror(error));
}

// The addresses that devices are told in the signed root.
void CheckPorts(const Api& api, DoctorChecks& checks) {
  const Result<Json> answer = api.Get("/metadata/root");
  if (answer.code() == Code::kNotFound) {
    checks.push_back(BadCheck("root", "the server has no root: no device can join",
                              "ferry keys init, then ferry keys upload --dir publisher"));
    return;
  }
  if (!answer.ok()) return;
  const auto text = GetString(*answer, "document");
  const auto document = text.ok() ? FromBase64(*text) : Result<Bytes>(text.status());
  const auto root = document.ok() ? ParseJson(AsText(*document)) : Result<Json>(document.status());
  if (!root.ok() || !root->contains("signed")) return;
  const Json& line = (*root)["signed"].value("line", Json::object());
  const auto addresses = GetStringsOr(line.is_object() ? line : Json::object(), "addresses");
  if (!addresses.ok()) return;
  for (const std::string& address : *addresses) {
    const Status reached = TryPort(address);
    if (reached.ok())
      checks.push_back(GoodCheck("device port", address + " takes connections"));
    else
      checks.push_back(BadCheck("device port", fmt::format("{}: {}", address, reached.message()),
                                "devices come in there: open it in the firewall, or `ferry-server "
                                "address HOST:PORT` where the server has moved"));
  }
}

}  // namespace

Status TryPort(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos)
    return Status::Of(Code::kInvalidArgument, "\"{}\" is no HOST:PORT", address);
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int error = ::getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &found);
  if (error != 0) return Status(Code::kUnavailable, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  Status status(Code::kUnavailable, "it has no address");
  for (const addrinfo* each = found; each != nullptr && !status.ok(); each = each->ai_next)
    status = TryAddress(*each);
  return status;
}

Result<int64_t> ParseHttpDate(const std::string& text) {
  tm parts{};
  const char* end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0')
    return Status::Of(Code::kMalformed, "\"{:.40}\" is no date of HTTP", text);
  return static_cast<int64_t>(::timegm(&parts)) * kMsOfSecond;
}

DoctorCheck ClockCheck(int64_t now_ms, int64_t server_ms) {
  const int64_t ahead_ms = now_ms - server_ms;
  const std::string text = fmt::format("{} s {} the server's", std::abs(ahead_ms) / kMsOfSecond,
                                       ahead_ms < 0 ? "behind" : "ahead of");
  if (std::abs(ahead_ms) <= kMostClockMs) return GoodCheck("clock", text);
  return BadCheck("clock", text,
                  "set the clock that is wrong (timedatectl set-ntp true): what is signed expires "
                  "by it");
}

DoctorCheck ExpiryCheck(const Json& status) {
  const auto list = GetArrayOrNull(status, "expires");
  if (!list.ok() || *list == nullptr) return GoodCheck("expiry", "the server names nothing");
  std::string ending, next;
  int64_t next_ms = INT64_MAX;
  for (const Json& thing : **list) {
    const int64_t expires_ms = GetIntOr(thing, "expires_ms", 0).value_or(0);
    const std::string text =
        fmt::format("{} {}", Field(thing, "what"), TimeField(thing, "expires_ms"));
    if (Field(thing, "state") != "ok") ending += (ending.empty() ? "" : "; ") + text;
    if (expires_ms < next_ms) next = text;
    next_ms = std::min(next_ms, expires_ms);
  }
  if (ending.empty()) return GoodCheck("expiry", next.empty() ? "nothing yet" : "first: " + next);
  return BadCheck("expiry", ending,
                  "root and targets: ferry keys refresh --dir publisher; certificates and the "
                  "authority: ferry-server certificate, ferry-server keys rotate authority");
}

void CheckServer(const Api& api, int64_t now_ms, DoctorChecks& checks) {
  std::string date;
  const Result<Json> status = api.Get("/status", &date);
  const Code code = status.code();
  if (code == Code::kUntrustedServer) {
    checks.push_back(UntrustedCheck(status.status()));
    return;
  }
  if (code == Code::kUnavailable && date.empty()) {
    checks.push_back(BadCheck("server", status.status().message(),
                              "start it (ferry-server run --dir DIR), or mend the URL, the "
                              "network or the firewall between"));
    return;
  }
  checks.push_back(GoodCheck("server", api.url() + " answers"));
  checks.push_back(TrustCheck(api));
  if (const auto server_ms = ParseHttpDate(date); server_ms.ok())
    checks.push_back(ClockCheck(now_ms, *server_ms));
  if (!status.ok()) {
    checks.push_back(
        BadCheck("login", status.status().message(), fmt::format("ferry login {}", api.url())));
    return;
  }
  checks.push_back(
      GoodCheck("login", fmt::format("may ask; version {}, {} devices", Field(*status, "version"),
                                     Field(*status, "devices"))));
  checks.push_back(ExpiryCheck(*status));
  CheckPorts(api, checks);
}

}  // namespace ferry::cli

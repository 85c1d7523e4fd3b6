#include "cloud-server/admin/http/reply.h"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <ctime>
#include <utility>

#include "common/base/json.h"

namespace ferry::server {

std::string HeadOf(const HttpResponse& response, bool keep_alive, bool chunked) {
  namespace http = boost::beast::http;
  const auto reason = http::obsolete_reason(http::int_to_status(response.status));
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nConnection: {}\r\n",
                                 response.status, std::string(reason.data(), reason.size()),
                                 response.content_type, keep_alive ? "keep-alive" : "close");
  for (const auto& [key, value] : response.headers) head += fmt::format("{}: {}\r\n", key, value);
  if (chunked) return head + "Transfer-Encoding: chunked\r\n\r\n";
  // A 304 has no body, and no length but that of the page it stands for.
  if (response.stream || response.push || response.status == 304) return head + "\r\n";
  return head + fmt::format("Content-Length: {}\r\n\r\n", response.body.size());
}

std::string HttpDate(int64_t unix_ms) {
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t seconds = static_cast<time_t>(std::max<int64_t>(unix_ms, 0) / 1000);
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday],
                     parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour,
                     parts.tm_min, parts.tm_sec);
}

HttpResponse Refusal(int http_status, Code code, std::string text) {
  HttpResponse response = ErrorResponse(Status(code, std::move(text)));
  response.status = http_status;
  return response;
}

HttpResponse ErrorResponse(const Status& status) {
  const ErrorInfo& info = InfoOf(status.code());
  HttpResponse response;
  response.status = info.http_status;
  const std::string text = status.message().empty() ? std::string(info.text) : status.message();
  response.body = WriteJson(
      {{"error", {{"code", static_cast<int>(info.code)}, {"name", info.name}, {"text", text}}}});
  return response;
}

}  // namespace ferry::server

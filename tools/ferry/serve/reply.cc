#include "tools/ferry/serve/reply.h"

#include <fmt/format.h>

#include <string>

namespace ferry::cli {
namespace {

// Reason phrases of the statuses that are sent; the phrase itself says nothing to programs.
constexpr struct {
  int status;
  const char* phrase;
} kPhrases[] = {{200, "OK"},
                {400, "Bad Request"},
                {403, "Forbidden"},
                {404, "Not Found"},
                {405, "Method Not Allowed"},
                {408, "Request Timeout"},
                {413, "Content Too Large"},
                {429, "Too Many Requests"},
                {431, "Request Header Fields Too Large"},
                {500, "Internal Server Error"},
                {503, "Service Unavailable"}};

const char* PhraseOf(int status) {
  for (const auto& row : kPhrases) {
    if (row.status == status) return row.phrase;
  }
  return "";
}

}  // namespace

bool SocketReply::Put(std::string_view bytes) {
  if (!broken_ && !socket_.Write(bytes)) broken_ = true;
  return !broken_;
}

bool SocketReply::wanted() const {
  return !cancelled_ && !broken_ && !socket_.PeerLeft();
}

void SocketReply::Send(int status, std::string_view json) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{}{}\r\n", status,
      PhraseOf(status), json.size(), status == 503 || status == 429 ? "Retry-After: 1\r\n" : "",
      keep_alive_ ? "" : "Connection: close\r\n");
  sent_ = true;
  Put(text.append(json));
}

bool SocketReply::BeginEvents() {
  if (!chunked_) keep_alive_ = false;
  sent_ = true;
  return Put(fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n{}{}\r\n",
      chunked_ ? "Transfer-Encoding: chunked\r\n" : "",
      keep_alive_ ? "" : "Connection: close\r\n"));
}

bool SocketReply::WriteEvent(std::string_view event) {
  if (event.empty()) return !broken_;
  return Put(chunked_ ? fmt::format("{:x}\r\n{}\r\n", event.size(), event) : std::string(event));
}

void SocketReply::EndEvents() {
  if (chunked_) Put("0\r\n\r\n");
}

}  // namespace ferry::cli

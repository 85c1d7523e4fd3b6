// What happens on connections: handshakes and heads on the thread of all connections, answers on
// workers.
// ---- sessions.cc work.cc
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <optional>

#include "cloud-server/admin/http/line.h"
#include "cloud-server/admin/refusals.h"

namespace ferry::server {

class Sessions {
 public:
  // Borrows all; `io` runs on one thread, the one of all connections.
  Sessions(const HttpOptions& options, const HttpServer::Handler& handler, asio::io_context& io,
           Refusals& refusals)
      : options_(options), handler_(handler), io_(io), refusals_(refusals) {}

  void Begin(const LinePtr& line);  // on io's thread
  void Stop() { stopping_ = true; }
  void Join() { workers_.join(); }  // waits for running requests

 private:
  void SetDeadline(const LinePtr& line, int ms, const char* what);
  void HaveHandshake(const LinePtr& line, NetError error);
  void ReadHead(const LinePtr& line);
  void HaveHead(const LinePtr& line, NetError error);
  void Answer(const LinePtr& line, std::optional<HttpResponse> refusal);
  void Drain(const LinePtr& line);
  void DrainMore(const LinePtr& line);
  // On a worker. True: the connection takes another request.
  bool Work(Line& line, std::optional<HttpResponse> refusal);
  bool Send(Line& line, const HttpResponse& response, bool is_head);
  HttpResponse Call(Line& line, const std::string& client);

  const HttpOptions& options_;
  const HttpServer::Handler& handler_;
  asio::io_context& io_;
  Refusals& refusals_;
  std::atomic<bool> stopping_{false};
  asio::thread_pool workers_{kHttpThreads};
};

}  // namespace ferry::server

// What happens on connections: handshakes and heads on the thread of all connections, answers on
// workers.
// ---- sessions.cc work.cc push.cc
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cloud-server/admin/http/line.h"
#include "cloud-server/admin/http/push.h"
#include "cloud-server/admin/http/refusals.h"

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
  void EndPushes();                 // after Join: nothing is queued for io any more

 private:
  void SetDeadline(const LinePtr& line, int ms, const char* what);
  void HaveHandshake(const LinePtr& line, NetError error);
  void ReadHead(const LinePtr& line);
  void HaveHead(const LinePtr& line, NetError error);
  void Answer(const LinePtr& line, std::optional<HttpResponse> refusal);
  void Drain(const LinePtr& line);
  void DrainMore(const LinePtr& line);
  std::shared_ptr<PushQueue> MakePush(bool chunked);
  void BeginPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push);
  void ListenPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push);
  void PushNext(const LinePtr& line, const std::shared_ptr<PushQueue>& push);
  void EndPush(const LinePtr& line, const std::shared_ptr<PushQueue>& push);
  // What becomes of a connection after an answer: with neither, it ends.
  struct Next {
    bool keep = false;  // it takes another request
    std::shared_ptr<PushQueue> push;
  };
  // On a worker.
  Next Work(Line& line, std::optional<HttpResponse> refusal);
  Next Send(Line& line, const HttpResponse& response, bool is_head);
  HttpResponse Call(Line& line, const std::string& client);

  const HttpOptions& options_;
  const HttpServer::Handler& handler_;
  asio::io_context& io_;
  Refusals& refusals_;
  std::atomic<bool> stopping_{false};
  std::mutex pushes_mutex_;
  std::vector<std::weak_ptr<PushQueue>> pushes_;
  asio::thread_pool workers_{kHttpThreads};
};

}  // namespace ferry::server

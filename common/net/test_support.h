// What the tests of this room share: a server on loopback and a raw TLS client.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/net/certificate.h"
#include "common/net/client.h"
#include "common/net/server.h"
#include "common/sys/filesystem.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::net {

inline const CertificateAndKey& TestAuthority() {
  static const CertificateAndKey authority = MakeAuthority("Ferry test authority", 30).value();
  return authority;
}

// A value that one thread sets and another waits for.
template <typename T>
class Waiter {
 public:
  void Set(T value) {
    std::lock_guard lock(mutex_);
    value_ = std::make_unique<T>(std::move(value));
    changed_.notify_all();
  }
  bool Wait(int64_t ms = 20'000) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::milliseconds(ms),
                             [&] { return value_ != nullptr; });
  }
  T Take() {
    EXPECT_TRUE(Wait());
    std::lock_guard lock(mutex_);
    return std::move(*value_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<T> value_;
};

inline bool Eventually(const std::function<bool()>& done, int64_t ms = 20'000) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Of this process.
inline size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Files of a disk in memory, for holders of the token "Bearer t". A cut file fails halfway.
class TestContent : public sys::ContentSource {
 public:
  Result<sys::Content> Open(const std::string& path, const std::string& authorization) override {
    if (authorization != "Bearer t" && !is_open) {
      return Status(Code::kUnauthenticated, "no token");
    }
    if (is_open) authorizations += authorization;
    FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForRead(path));
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
    return sys::Content{std::move(file), size + promise_too_much};
  }
  Result<std::string> Elsewhere(const std::string&, const std::string&) override {
    return elsewhere;
  }
  sys::SimFileSystem fs;
  std::atomic<uint64_t> promise_too_much{0};
  // Set before the server starts.
  bool is_open = false;        // to holders of no token
  std::string authorizations;  // that came while it was
  std::string elsewhere;       // URL that who may follow is sent on to
};

// Says what an end of a channel has seen; its members belong to the executor's thread.
struct Ear {
  std::mutex mutex;
  std::vector<Bytes> frames;
  Status closed;
  sys::ChannelEvents Events() {
    return {[this](ByteView frame) {
              std::lock_guard lock(mutex);
              frames.push_back(ToBytes(frame));
            },
            [this](const Status& why) {
              std::lock_guard lock(mutex);
              closed = why;
            }};
  }
  size_t count() {
    std::lock_guard lock(mutex);
    return frames.size();
  }
  Code close_code() {
    std::lock_guard lock(mutex);
    return closed.code();
  }
};

class NetTest : public testing::Test {
 protected:
  void StartServer(ServerLimits limits = {}, std::vector<std::string> names = {"127.0.0.1"}) {
    if (certificate_.certificate_pem.empty()) {
      const auto certificate = MakeServerCertificate(TestAuthority(), names, 30);
      ASSERT_TRUE(certificate.ok()) << certificate.status().ToString();
      certificate_ = *certificate;
    }
    ServerOptions options;
    options.listen.port = endpoint_.port;  // that of the server before, if there was one
    options.certificate_pem = certificate_.certificate_pem;
    options.private_key_pem = certificate_.private_key_pem;
    options.limits = limits;
    options.split = {split_executor_,
                     [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor& executor) {
                       EXPECT_EQ(&executor, split_executor_);
                       Take(std::move(channel));
                     }};
    Result<std::unique_ptr<TlsServer>> server(Status(Code::kUnavailable, "not tried"));
    // The server before gives its port back soon.
    ASSERT_TRUE(Eventually([&] {
      server = TlsServer::Start(io_, {server_executor_.get()}, options, &content_,
                                [this](std::unique_ptr<sys::FrameChannel> channel, sys::Executor&) {
                                  Take(std::move(channel));
                                });
      return server.ok();
    })) << server.status().ToString();
    server_ = std::move(*server);
    endpoint_ = {"127.0.0.1", server_->port()};
  }
  void Take(std::unique_ptr<sys::FrameChannel> channel) {
    server_channel_ = std::move(channel);
    if (admit_) server_channel_->Admit();
    server_channel_->Start(server_ear_.Events());
    if (!greeting_.empty()) {
      EXPECT_TRUE(server_channel_->Send(greeting_).ok());
    }
    accepted_.Set(true);
  }
  void MakeDialer(ClientOptions options = {}) {
    if (options.authority.empty()) options.authority = TestAuthority().certificate_pem;
    auto dialer = MakeTlsDialer(io_, *client_executor_, options);
    ASSERT_TRUE(dialer.ok()) << dialer.status().ToString();
    dialer_ = std::move(*dialer);
  }
  Status Dial() {
    Waiter<Status> done;
    On(client_executor_, [&] {
      dialer_->Dial(endpoint_, [&](Result<std::unique_ptr<sys::FrameChannel>> result) {
        if (result.ok()) {
          client_channel_ = std::move(*result);
          client_channel_->Start(client_ear_.Events());
        }
        done.Set(result.status());
      });
    });
    return done.Take();
  }
  // Runs `body` on an executor and waits for it.
  void On(const std::unique_ptr<sys::Executor>& executor, const std::function<void()>& body) {
    Waiter<bool> done;
    executor->Post([&] {
      body();
      done.Set(true);
    });
    done.Take();
  }
  Status Fetch(const std::string& path, uint64_t offset, Bytes* out,
               const std::string& token = "Bearer t") {
    Waiter<Status> done;
    On(client_executor_, [&] {
      dialer_->Fetch(
          endpoint_, path, offset, token,
          [this, out](uint64_t at, ByteView piece) {
            if (fail_data_.load()) return Status(Code::kDiskFull, "full");
            EXPECT_EQ(at, out->size());
            out->insert(out->end(), piece.begin(), piece.end());
            return OkStatus();
          },
          [&](Status status) { done.Set(status); },
          [this](const std::string& place) { moved_ += place; });
    });
    return done.Take();
  }
  void TearDown() override {
    On(client_executor_, [&] {
      client_channel_.reset();
      dialer_.reset();
    });
    // It hands over no channel from here on; one that it has handed over is taken before this ends.
    server_.reset();
    On(server_executor_, [&] { server_channel_.reset(); });
  }

  std::string moved_;  // where fetches were sent on to
  std::unique_ptr<sys::Executor> server_executor_ = sys::StartThreadExecutor("server");
  std::unique_ptr<sys::Executor> client_executor_ = sys::StartThreadExecutor("client");
  sys::Executor* split_executor_ = nullptr;  // set: the server speaks ferry-split/1 too
  IoThreads io_{2};
  TestContent content_;
  std::atomic<bool> fail_data_{false};
  CertificateAndKey certificate_;  // of the server, made when it starts
  Bytes greeting_;                 // what the server sends first
  bool admit_ = true;              // the server knows who dials at once
  sys::Endpoint endpoint_;
  Ear server_ear_, client_ear_;
  Waiter<bool> accepted_;
  std::unique_ptr<TlsServer> server_;
  std::unique_ptr<sys::Dialer> dialer_;
  std::unique_ptr<sys::FrameChannel> server_channel_, client_channel_;
};

// A TLS client without any of this room's code: blocking, believing everyone.
class RawClient {
 public:
  static constexpr const char* kNoHandshake = "-";           // connects, says nothing
  RawClient(const sys::Endpoint& to, const char* protocol);  // nullptr: no ALPN
  ~RawClient();
  bool connected() const { return connected_; }
  bool Write(std::string_view text);
  // What comes until the end, or until `until` was seen; empty `until`: to the end.
  std::string Read(std::string_view until = "");

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool connected_ = false;
};

}  // namespace ferry::net

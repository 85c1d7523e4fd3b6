// Idempotency-Key: a call that is made twice with the same key is carried out once, and answered
// the same way. Private to admin.
// ---- repeats.cc
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "cloud-server/admin/routes.h"

namespace ferry::server {

inline constexpr int64_t kAnswerLifeMs = int64_t{86'400'000};  // how long an answer is kept
inline constexpr size_t kMaxKeyBytes = 128;
inline constexpr size_t kMaxKeptAnswer = 256 << 10;  // bytes; of a longer one the fact is kept

// One for a server; any thread.
class Repeats {
 public:
  // One call with a key, from its begin to its answer. Without a key, or of a route that no key is
  // for, it does nothing.
  class Turn {
   public:
    Turn(Repeats& repeats, const Call& call, const Route& route);
    ~Turn();
    Turn(const Turn&) = delete;
    // What is to be answered without carrying the call out: the answer of before; 422 for another
    // call with the same key; 409 while the same call is under way, or where its answer was lost.
    std::optional<HttpResponse> Before();
    // What has to be written in the transaction of the change, so that it is made once; may be
    // empty.
    std::function<Status(Transaction&)> Mark() const;
    // Keeps the answer.
    Status After(const HttpResponse& response);

   private:
    Repeats& repeats_;
    const Call& call_;
    std::string key_;      // empty: none
    bool secret_ = false;  // the answer is not kept
    bool entered_ = false;
    std::string request_sha256_;
  };

 private:
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> under_way_;  // account and key
};

}  // namespace ferry::server

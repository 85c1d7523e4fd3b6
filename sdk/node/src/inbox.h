// Messages of the library's threads to an environment's one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "sdk/node/src/addon.h"

namespace ferry::node {

// The numbers are those of lib/native.js.
enum class Kinds { kRunDone = 0, kResult = 1, kTokens = 2, kMode = 3, kEnd = 4 };
struct Message {
  Kinds kind;
  double receiver;  // a number that lib/native.js gave
  int number = 0;
  std::string text;
  std::vector<int32_t> ids;
};

// A new Int32Array.
napi_value IdsOf(napi_env env, const std::vector<int32_t>& ids);

class Inbox {
 public:
  static constexpr size_t kMostResults = 10'000;  // that wait, before their thread does

  // `dispatch` is called with a message's members, on the environment's thread.
  static std::shared_ptr<Inbox> Open(napi_env env, napi_value dispatch);
  // Any thread. Nothing after Close.
  void Push(Message message);
  // The same, and waits while kMostResults do, unless `leaving`.
  void PushResult(Message message, const std::atomic<bool>& leaving);
  // Threads that wait look at their `leaving` again.
  void Wake();
  // What comes from now on is dropped.
  void Close();
  bool is_closed();
  // Whether the process lives on for messages.
  void Hold(bool hold);
  void Deliver(napi_env env);

 private:
  void PushLocked(Message message);
  std::mutex mutex_;
  std::condition_variable taken_;
  std::vector<Message> messages_;
  bool is_closed_ = false;
  napi_env env_ = nullptr;
  napi_threadsafe_function waker_ = nullptr;
  napi_ref dispatch_ = nullptr;
};

}  // namespace ferry::node

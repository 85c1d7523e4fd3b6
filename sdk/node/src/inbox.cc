#include "sdk/node/src/inbox.h"

#include <utility>

namespace ferry::node {
namespace {

void Wake(napi_env env, napi_value, void* context, void*) {
  if (env != nullptr) static_cast<Inbox*>(context)->Deliver(env);
}

}  // namespace

napi_value IdsOf(napi_env env, const std::vector<int32_t>& ids) {
  void* data = nullptr;
  napi_value buffer, array;
  Check(env, napi_create_arraybuffer(env, ids.size() * sizeof(int32_t), &data, &buffer));
  std::copy(ids.begin(), ids.end(), static_cast<int32_t*>(data));
  Check(env, napi_create_typedarray(env, napi_int32_array, ids.size(), buffer, 0, &array));
  return array;
}

namespace {

void Dispatch(napi_env env, napi_value dispatch, const Message& message) {
  napi_value global;
  Check(env, napi_get_global(env, &global));
  napi_value args[] = {Number(env, static_cast<double>(message.kind)),
                       Number(env, message.receiver), Number(env, message.number),
                       Text(env, message.text),
                       message.kind == Kinds::kTokens ? IdsOf(env, message.ids) : Undefined(env)};
  Check(env, napi_call_function(env, global, dispatch, std::size(args), args, nullptr));
}

}  // namespace

std::shared_ptr<Inbox> Inbox::Open(napi_env env, napi_value dispatch) {
  auto inbox = std::make_shared<Inbox>();
  inbox->env_ = env;
  Check(env, napi_create_reference(env, dispatch, 1, &inbox->dispatch_));
  Check(env,
        napi_create_threadsafe_function(env, nullptr, nullptr, Text(env, "ferry"), 0, 1, nullptr,
                                        nullptr, inbox.get(), &node::Wake, &inbox->waker_));
  Check(env, napi_unref_threadsafe_function(env, inbox->waker_));
  return inbox;
}

void Inbox::PushLocked(Message message) {
  messages_.push_back(std::move(message));
  if (messages_.size() == 1) napi_call_threadsafe_function(waker_, nullptr, napi_tsfn_nonblocking);
}

void Inbox::Push(Message message) {
  const std::lock_guard lock(mutex_);
  if (!is_closed_) PushLocked(std::move(message));
}

void Inbox::PushResult(Message message, const std::atomic<bool>& leaving) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return is_closed_ || leaving || messages_.size() < kMostResults; });
  if (!is_closed_ && !leaving) PushLocked(std::move(message));
}

void Inbox::Wake() {
  // Under the lock, or one who has just looked would sleep on.
  const std::lock_guard lock(mutex_);
  taken_.notify_all();
}

void Inbox::Close() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_closed_, true)) napi_release_threadsafe_function(waker_, napi_tsfn_release);
  taken_.notify_all();
}

bool Inbox::is_closed() {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

void Inbox::Hold(bool hold) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  if (hold)
    napi_ref_threadsafe_function(env_, waker_);
  else
    napi_unref_threadsafe_function(env_, waker_);
}

void Inbox::Deliver(napi_env env) {
  std::vector<Message> messages;
  {
    const std::lock_guard lock(mutex_);
    messages.swap(messages_);
    taken_.notify_all();
  }
  for (const Message& message : messages) {
    napi_handle_scope scope;
    if (napi_open_handle_scope(env, &scope) != napi_ok) return;
    try {
      napi_value dispatch;
      Check(env, napi_get_reference_value(env, dispatch_, &dispatch));
      Dispatch(env, dispatch, message);
    } catch (const Pending&) {
      // What a callback of the app throws is the process's "uncaughtException".
      napi_value thrown;
      if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok)
        napi_fatal_exception(env, thrown);
    }
    napi_close_handle_scope(env, scope);
  }
}

}  // namespace ferry::node

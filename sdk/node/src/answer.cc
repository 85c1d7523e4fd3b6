// Answers: of calls that are made at once, and of those that a worker thread makes.
#include <memory>
#include <utility>

#include "sdk/node/src/addon.h"

namespace ferry::node {
namespace {

// A call on its way to a worker thread and back.
struct Work {
  Addon* addon;
  Call call;
  Value value;
  napi_deferred promise = nullptr;
  napi_async_work work = nullptr;
  napi_ref first = nullptr;  // the first argument, when it is a handle: it stays open meanwhile
  Failure failure = {FERRY_kOk, ""};
};

void Execute(napi_env, void* data) {
  auto& work = *static_cast<Work*>(data);
  const int code = work.call();
  if (code != FERRY_kOk) work.failure = {code, ferry_error_text()};
}

void Settle(napi_env env, Work& work, napi_status status) {
  if (status == napi_cancelled) work.failure = {FERRY_kCancelled, "the process ends"};
  if (work.failure.code != FERRY_kOk) {
    napi_reject_deferred(env, work.promise, ErrorValue(*work.addon, work.failure));
    return;
  }
  napi_value value = work.value ? work.value(env) : nullptr;
  napi_resolve_deferred(env, work.promise, value != nullptr ? value : Undefined(env));
}

void Complete(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Work> work(static_cast<Work*>(data));
  try {
    Settle(env, *work, status);
  } catch (const Pending&) {
    napi_value thrown;
    if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok)
      napi_reject_deferred(env, work->promise, thrown);
  }
  if (work->first != nullptr) napi_delete_reference(env, work->first);
  napi_delete_async_work(env, work->work);
}

}  // namespace

napi_value Answer(const Args& args, bool later, Call call, Value value) {
  const napi_env env = args.env();
  if (!later) {
    CheckCall(call());
    return value ? value(env) : nullptr;
  }
  auto work = std::make_unique<Work>(Work{&args.addon(), std::move(call), std::move(value)});
  napi_valuetype first;
  Check(env, napi_typeof(env, args[0], &first));
  if (first == napi_external) Check(env, napi_create_reference(env, args[0], 1, &work->first));
  napi_value promise;
  Check(env, napi_create_promise(env, &work->promise, &promise));
  Check(env, napi_create_async_work(env, nullptr, Text(env, std::string("ferry")), &Execute,
                                    &Complete, work.get(), &work->work));
  Check(env, napi_queue_async_work(env, work->work));
  (void)work.release();
  return promise;
}

napi_value AnswerText(const Args& args, bool later, std::function<int(char**)> call) {
  auto text = std::make_shared<GivenText>();
  return Answer(
      args, later, [text, call = std::move(call)] { return call(text->out()); },
      [text](napi_env env) { return text->Value(env); });
}

}  // namespace ferry::node

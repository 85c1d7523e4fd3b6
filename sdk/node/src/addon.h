// What the files of the addon share: arguments and answers of Node-API, errors, what one
// environment (the main thread or a Worker) keeps.
//
// The addon's functions are for the package's own JavaScript, which checks what apps hand in; they
// still refuse what does not fit, by an exception.
#pragma once

#define NAPI_VERSION 8
#include <node_api.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "device-runtime/api/ferry.h"

namespace ferry::node {

class Inbox;
struct Handle;

// Of one environment; lives as long as it. Its own thread alone.
struct Addon {
  napi_env env = nullptr;
  napi_ref error_class = nullptr;  // FerryError
  std::shared_ptr<Inbox> inbox;
  std::unordered_set<Handle*> handles;  // that are open
};

// An exception waits in the environment: nothing more may be done but return.
struct Pending {};
// A call of ferry.h failed; becomes a FerryError.
struct Failure {
  int code;
  std::string text;
};

// Throws Pending when a call of Node-API failed.
void Check(napi_env env, napi_status status);
// Throws Failure, with this thread's error text.
void CheckCall(int code);
// A FerryError.
napi_value ErrorValue(Addon& addon, const Failure& failure);

std::string TextOf(napi_env env, napi_value value);
napi_value Text(napi_env env, const char* text, size_t size);
napi_value Text(napi_env env, const std::string& text);
napi_value Number(napi_env env, double number);
napi_value Undefined(napi_env env);

// Bytes of a typed array.
struct Memory {
  void* data = nullptr;
  size_t bytes = 0;
};
Memory MemoryOf(napi_env env, napi_value value);

// The arguments of one call.
class Args {
 public:
  Args(napi_env env, napi_callback_info info);
  napi_env env() const { return env_; }
  Addon& addon() const { return *addon_; }
  napi_value operator[](size_t i) const;
  bool Has(size_t i) const;  // neither undefined nor null
  std::string Text(size_t i) const { return TextOf(env_, (*this)[i]); }
  std::optional<std::string> MaybeText(size_t i) const;
  double Number(size_t i) const;
  int64_t Whole(size_t i) const { return static_cast<int64_t>(Number(i)); }
  bool Flag(size_t i) const;
  // From a BigInt.
  uint64_t Big(size_t i) const;

 private:
  static constexpr size_t kMost = 20;
  napi_env env_;
  Addon* addon_ = nullptr;
  size_t count_ = kMost;
  napi_value values_[kMost];
};

// Runs `call`, which returns a code of ferry.h, and answers `value` of it: now, or with `later` a
// promise for it, `call` then being run on one of Node's worker threads.
using Call = std::function<int()>;
using Value = std::function<napi_value(napi_env)>;
napi_value Answer(const Args& args, bool later, Call call, Value value = nullptr);

// A text that a function of ferry.h gave to the caller.
class GivenText {
 public:
  GivenText() = default;
  GivenText(const GivenText&) = delete;
  GivenText& operator=(const GivenText&) = delete;
  ~GivenText() { ferry_string_free(text_); }
  char** out() { return &text_; }
  napi_value Value(napi_env env) const { return Text(env, text_ == nullptr ? "" : text_); }

 private:
  char* text_ = nullptr;
};
// The same for a function that fills in a text: Answer, with the text as the value.
napi_value AnswerText(const Args& args, bool later, std::function<int(char**)> call);

// One function of the addon as Node-API wants it.
using Function = napi_value (*)(const Args&);
napi_value Enter(napi_env env, napi_callback_info info, Function function);
template <Function F>
napi_value Entry(napi_env env, napi_callback_info info) {
  return Enter(env, info, F);
}
struct Row {
  const char* name;
  napi_callback function;
};
// Each file's functions.
std::vector<Row> EngineRows();
std::vector<Row> RunRows();
std::vector<Row> RuntimeRows();
std::vector<Row> TableRows();
std::vector<Row> LanguageRows();
std::vector<Row> StreamRows();

}  // namespace ferry::node

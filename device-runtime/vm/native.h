// What C++ code needs to give scripts a module: functions, types and their objects. A module is one
// table, handed to Isolate::Create; see device-runtime/bindings for examples.
//
//   Result<Value> Now(CallContext& c) {
//     FERRY_TRY(c.Expect(0, 0));
//     return c.Int(Host(c).NowMs());
//   }
//   const NativeFunction kFunctions[] = {{"now_ms", Now}};
//   const NativeModule kModule = {"ferry.events", kFunctions};
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "device-runtime/vm/value.h"

namespace ferry::vm {

class CallContext;
struct Vm;

// Called with the script's arguments. A failure becomes an exception of the script:
// kInvalidArgument, kShapeMismatch and kMalformed a ValueError, kNotFound a LookupError,
// kUnsupported a NotImplementedError, the others a RuntimeError with the status text; kScriptTime,
// kScriptMemory, kScriptDepth and kOutOfMemory end the script, and CallContext::Raise gives an
// exception of a chosen class.
using NativeFunctionPointer = Result<Value> (*)(CallContext&);

struct NativeFunction {
  const char* name;
  NativeFunctionPointer function;
};

// A type of script objects made in C++. Methods get the object as argument 0; names with double
// underscores (__len__, __getitem__, __setitem__, __add__, __radd__, __repr__, __iter__, __eq__,
// __bool__, __call__ ...) answer operators, as in Python. Properties are called for `object.name`.
// The table must outlive every isolate that uses it.
struct NativeType {
  const char* name;
  std::span<const NativeFunction> methods;
  std::span<const NativeFunction> properties;
  // Frees the payload, once, when no script can reach the object, on the thread that then runs the
  // isolate. Must not call the isolate.
  void (*finalize)(void* payload);
};

struct NativeModule {
  const char* name;  // as scripts import it, "ferry.engine"
  std::span<const NativeFunction> functions;
  std::span<const NativeType* const> types = {};  // those that scripts may name
};

// The arguments of one call of a native function, and the ways to make values. It lives for the
// call. Values made in the call stay good until it returns, except across Call() and
// ChargeExternal(), which may collect: hold what must survive them with Keep().
class CallContext {
 public:
  CallContext(Vm& vm, const Value* args, size_t count, const Value* kw_names,
              const Value* kw_values, size_t kw_count)
      : vm_(vm),
        args_(args),
        count_(count),
        kw_names_(kw_names),
        kw_values_(kw_values),
        kw_count_(kw_count) {}

  size_t count() const { return count_; }
  Value arg(size_t i) const { return args_[i]; }
  // Keyword arguments, for functions that take any.
  size_t keywords() const { return kw_count_; }
  Value keyword(size_t k) const { return kw_values_[k]; }
  Vm& vm() const { return vm_; }

  // ---- host/context.cc ----
  // Checks the number of positional arguments (self included) and that there is no keyword.
  Status Expect(size_t min, size_t max);
  // Spreads positional and keyword arguments over `names`; missing ones are Empty. The first
  // `required` must be there, positional ones may not reach past `max_positional`.
  Status Bind(std::span<const char* const> names, size_t required, Value* out,
              size_t max_positional = SIZE_MAX);

  std::string_view keyword_name(size_t k) const;

  // The argument as a C++ value; a TypeError that names `what` otherwise.
  Result<int64_t> AsInt(Value v, std::string_view what);
  Result<double> AsNumber(Value v, std::string_view what);
  Result<std::string_view> AsString(Value v, std::string_view what);
  Result<bool> AsBool(Value v);
  // Whether it is text: for arguments of more than one kind.
  bool IsString(Value v) const;
  // str(v); may run scripts: see Keep.
  Result<std::string> Text(Value v);
  // Elements of a list or tuple, borrowed until the script runs on.
  Result<std::span<const Value>> AsSequence(Value v, std::string_view what);
  // Keys and values of a dict with string keys, in order.
  Result<std::vector<std::pair<std::string, Value>>> AsItems(Value v, std::string_view what);
  // kMalformed when `v` holds something that JSON lacks, or nests deeper than kMaxJsonDepth.
  Result<nlohmann::json> ToJson(Value v);

  // New values of scripts; kScriptMemory when there is no room.
  Result<Value> Int(int64_t i);
  Result<Value> Number(double d);
  Result<Value> String(std::string_view utf8);
  Result<Value> List(std::span<const Value> items);
  Result<Value> Tuple(std::span<const Value> items);
  Result<Value> Dict();
  Status SetItem(Value dict, std::string_view key, Value value);
  Result<Value> FromJson(const nlohmann::json& json);

  // An object of `type` over `payload`, whose finalizer now owns it, also when this fails.
  // `external_bytes` outside the script's heap count against its limit for as long as it lives.
  Result<Value> NewNative(const NativeType& type, void* payload, size_t external_bytes = 0);
  // The payload of `v` if it is an object of `type`, else nullptr.
  void* Payload(Value v, const NativeType& type) const;

  // Says that `bytes` more are about to be used; collects when that helps, kScriptMemory when they
  // do not fit. NewNative charges for itself; use this before allocating the payload.
  Status ReserveExternal(size_t bytes);
  // Counts `steps` against the limit: for work that grows with its input.
  Status Charge(int64_t steps);
  // To be called around work that runs long and touches nothing of the isolate: other tasks may
  // have this one's processor meanwhile. See LongWork.
  void BeginLong();
  void EndLong();
  // Calls a script or native function; kScriptRaised when it raises, which goes on to the script
  // that called.
  Result<Value> Call(Value function, std::span<const Value> args);
  // Keeps a value alive until the native function returns.
  void Keep(Value v);

  // `return c.Raise("ValueError", "...")`: an exception of a built-in class.
  Status Raise(std::string_view exception_class, std::string message);
  // What Options::host was.
  void* host() const;

 private:
  friend struct Vm;
  Vm& vm_;
  const Value* args_;
  size_t count_;
  const Value* kw_names_;
  const Value* kw_values_;
  size_t kw_count_;
};

// `const LongWork running(c);` in a native function, for the length of a block.
class LongWork {
 public:
  explicit LongWork(CallContext& c) : c_(c) { c_.BeginLong(); }
  ~LongWork() { c_.EndLong(); }
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  CallContext& c_;
};

}  // namespace ferry::vm

// ferry.log: log.debug, info, warning and error(message, **fields): a line of the app's log.
#include "common/base/json.h"
#include "device-runtime/bindings/modules.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

constexpr size_t kMaxLineBytes = 16 << 10;  // of one line; the rest is cut off

Result<Value> Write(CallContext& c, LogLevel level) {
  if (c.count() != 1)
    return c.Raise("TypeError",
                   fmt::format("takes one message and fields, got {} arguments", c.count()));
  FERRY_ASSIGN_OR_RETURN(std::string line, c.Text(c.arg(0)));
  for (size_t k = 0; k < c.keywords(); ++k) {
    FERRY_ASSIGN_OR_RETURN(const Json field, c.ToJson(c.keyword(k)));
    line += fmt::format(" {}={}", c.keyword_name(k), WriteJson(field));
  }
  FERRY_TRY(c.Charge(static_cast<int64_t>(line.size() / 16) + 100));
  if (line.size() > kMaxLineBytes) line.resize(kMaxLineBytes);
  HostOf(c).Log(level, line);
  return Value::None();
}

Result<Value> Debug(CallContext& c) {
  return Write(c, LogLevel::kDebug);
}
Result<Value> Info(CallContext& c) {
  return Write(c, LogLevel::kInfo);
}
Result<Value> Warning(CallContext& c) {
  return Write(c, LogLevel::kWarn);
}
Result<Value> Error(CallContext& c) {
  return Write(c, LogLevel::kError);
}

constexpr vm::NativeFunction kLogFunctions[] = {
    {"debug", Debug}, {"info", Info}, {"warning", Warning}, {"error", Error}};

}  // namespace

const vm::NativeModule& LogModule() {
  static const vm::NativeModule kModule = {"ferry.log", kLogFunctions};
  return kModule;
}

}  // namespace ferry::bindings

// ferry.events: events.emit(stream, row) hands a dict to the task's streams; events.now_ms().
#include "common/base/json.h"
#include "device-runtime/bindings/modules.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

Result<Value> Emit(CallContext& c) {
  FERRY_TRY(c.Expect(2, 2));
  FERRY_ASSIGN_OR_RETURN(std::string_view stream, c.AsString(c.arg(0), "the name of a stream"));
  FERRY_ASSIGN_OR_RETURN(Json row, c.ToJson(c.arg(1)));
  FERRY_TRY(HostOf(c).Emit(stream, std::move(row)));
  return Value::None();
}

Result<Value> NowMs(CallContext& c) {
  FERRY_TRY(c.Expect(0, 0));
  return c.Int(HostOf(c).NowMs());
}

constexpr vm::NativeFunction kEventsFunctions[] = {{"emit", Emit}, {"now_ms", NowMs}};

}  // namespace

const vm::NativeModule& EventsModule() {
  static const vm::NativeModule kModule = {"ferry.events", kEventsFunctions};
  return kModule;
}

}  // namespace ferry::bindings

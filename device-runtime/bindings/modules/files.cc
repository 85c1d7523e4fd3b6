// ferry.files: files.read(name) -> bytes, files.names() -> list, files.exists(name): what came with
// the task for every device, and before it what came for this device alone.
#include <algorithm>

#include "device-runtime/bindings/modules.h"
#include "device-runtime/vm/byte_string.h"

namespace ferry::bindings {
namespace {

using vm::CallContext;
using vm::Value;

constexpr size_t kFileBytesPerStep = 64;  // copied at the price of one step

Result<Value> ReadOne(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  FERRY_ASSIGN_OR_RETURN(const std::string_view name, c.AsString(c.arg(0), "the name of a file"));
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, HostOf(c).ReadFile(name));
  FERRY_TRY(c.Charge(static_cast<int64_t>(bytes.size() / kFileBytesPerStep)));
  return vm::NewByteString(c, AsText(bytes));
}

Result<Value> FileNames(CallContext& c) {
  FERRY_TRY(c.Expect(0, 0));
  const std::vector<std::string> names = HostOf(c).FileNames();
  FERRY_TRY(c.Charge(static_cast<int64_t>(names.size())));
  std::vector<Value> items;
  for (const std::string& name : names) {
    FERRY_ASSIGN_OR_RETURN(const Value item, c.String(name));
    c.Keep(item);
    items.push_back(item);
  }
  return c.List(items);
}

Result<Value> FileExists(CallContext& c) {
  FERRY_TRY(c.Expect(1, 1));
  FERRY_ASSIGN_OR_RETURN(const std::string_view name, c.AsString(c.arg(0), "the name of a file"));
  return Value::Bool(HostOf(c).ReadFile(name).ok());
}

constexpr vm::NativeFunction kFilesFunctions[] = {
    {"exists", FileExists}, {"names", FileNames}, {"read", ReadOne}};

}  // namespace

const vm::NativeModule& FilesModule() {
  static const vm::NativeModule kModule = {"ferry.files", kFilesFunctions};
  return kModule;
}

}  // namespace ferry::bindings

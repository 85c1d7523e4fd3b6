#include "device-runtime/vm/call_place.h"

#include "device-runtime/vm/exec/failure/traceback.h"
#include "device-runtime/vm/lib/lib.h"
#include "device-runtime/vm/text/text.h"

namespace ferry::vm {

ScriptPlace PlaceOfCall(const CallContext& c) {
  ScriptPlace out;
  if (c.vm().frames.empty()) return out;
  const Frame& frame = c.vm().frames.back();
  if (frame.code->module->file != nullptr) out.file = frame.code->module->file->view();
  out.line = LineOf(frame);
  return out;
}

std::string FunctionName(Value v) {
  if (!Is(v, Type::kFunction)) return "";
  const auto* function = As<Function>(v);
  const String* name = function->name != nullptr ? function->name : function->code->name;
  if (name == nullptr || name->view().starts_with('<')) return "";
  return std::string(name->view());
}

}  // namespace ferry::vm

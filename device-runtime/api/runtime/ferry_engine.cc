// Models of packages for the calls of ferry.h on engines.
#include "device-runtime/api/engine/engine_handle.h"
#include "device-runtime/api/runtime/runtime_handle.h"

namespace {

using ferry::Bytes;
using ferry::ByteView;
using ferry::Code;
using ferry::Result;
using ferry::Status;

constexpr std::string_view kModelSuffix = ".fm";

Result<std::shared_ptr<const ferry::engine::Model>> FindEngine(ferry_runtime& runtime,
                                                               const std::string& name) {
  const size_t colon = name.find(':');
  if (colon == std::string::npos) {
    return Status::Of(Code::kInvalidArgument,
                      "'{}' is no \"package:model\"; ferry_engine_open opens files", name);
  }
  const std::string package = name.substr(0, colon), model = name.substr(colon + 1);
  std::string file = model;
  if (!file.ends_with(kModelSuffix)) file += kModelSuffix;
  FERRY_ASSIGN_OR_RETURN(Bytes bytes, runtime.runtime->ReadFile(package, file));
  const auto owner = std::make_shared<const Bytes>(std::move(bytes));
  return ferry::api::ReadEngine(ByteView(*owner), owner, model);
}

}  // namespace

extern "C" int ferry_engine_open_package(ferry_runtime* runtime, const char* name,
                                         const ferry_engine_options* options, ferry_engine** out) {
  using ferry::api::Missing;
  using ferry::api::Return;
  if (out == nullptr) return Missing("out");
  *out = nullptr;
  FERRY_FIND(ferry_runtime, self, runtime);
  if (name == nullptr) return Missing("name");
  if (auto sized = ferry::api::CheckOptions(options, "ferry_engine_options"); !sized.ok())
    return Return(sized);
  const auto model = FindEngine(*self, name);
  const Status status = model.ok() ? ferry::api::OpenEngine(*model, options, out) : model.status();
  return Return(status.Context("model {}", name));
}

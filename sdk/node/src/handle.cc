#include "sdk/node/src/handle.h"

#include <memory>
#include <utility>

namespace ferry::node {
namespace {

void CloseRaw(Kind kind, void* raw) {
  switch (kind) {
    case Kind::kEngine:
      return ferry_engine_close(static_cast<ferry_engine*>(raw));
    case Kind::kEngineSession:
      return ferry_engine_session_destroy(static_cast<ferry_engine_session*>(raw));
    case Kind::kRuntime:
      return ferry_runtime_destroy(static_cast<ferry_runtime*>(raw));
    case Kind::kModel:
      return ferry_model_close(static_cast<ferry_model*>(raw));
    case Kind::kAdapter:
      return ferry_adapter_close(static_cast<ferry_adapter*>(raw));
    case Kind::kSession:
      return ferry_session_destroy(static_cast<ferry_session*>(raw));
    case Kind::kStream:
      return ferry_stream_close(static_cast<ferry_stream*>(raw));
  }
}

void Finalize(napi_env, void* data, void*) {
  const std::unique_ptr<Handle> handle(static_cast<Handle*>(data));
  CloseHandle(*handle);
}

}  // namespace

napi_value NewHandle(Addon& addon, Kind kind, void* raw, std::shared_ptr<Extra> extra) {
  auto handle = std::make_unique<Handle>(Handle{&addon, kind, raw, true, std::move(extra)});
  napi_value value;
  if (napi_create_external(addon.env, handle.get(), &Finalize, nullptr, &value) != napi_ok) {
    CloseHandle(*handle);
    Check(addon.env, napi_generic_failure);
  }
  addon.handles.insert(handle.get());
  (void)handle.release();
  return value;
}

Handle& HandleOf(const Args& args, size_t i, Kind kind) {
  void* data = nullptr;
  Check(args.env(), napi_get_value_external(args.env(), args[i], &data));
  auto& handle = *static_cast<Handle*>(data);
  if (handle.kind != kind) throw Failure{FERRY_kInvalidArgument, "a handle of another kind"};
  return handle;
}

std::shared_ptr<Extra> ForgetHandle(Handle& handle) {
  handle.is_open = false;
  handle.addon->handles.erase(&handle);
  return std::move(handle.extra);
}

void CloseHandle(Handle& handle) {
  if (!handle.is_open) return;
  const std::shared_ptr<Extra> extra = ForgetHandle(handle);
  if (extra != nullptr) extra->Leave();
  CloseRaw(handle.kind, handle.raw);
}

}  // namespace ferry::node

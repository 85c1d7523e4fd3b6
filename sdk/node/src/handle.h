// What JavaScript holds of ferry.h's objects.
#pragma once

#include <memory>

#include "sdk/node/src/addon.h"

namespace ferry::node {

enum class Kind { kEngine, kEngineSession, kRuntime, kModel, kAdapter, kSession, kStream };

// What a handle has beside the library's object, until that is closed: memory of callbacks, of
// runs.
struct Extra {
  virtual ~Extra() = default;
  // Callbacks answer at once from now on, for the environment's thread waits for them.
  virtual void Leave() {}
};

// `raw` stays when it was closed: the library says then that it is.
struct Handle {
  Addon* addon;
  Kind kind;
  void* raw;
  bool is_open = true;
  std::shared_ptr<Extra> extra;
};

// A new external value; closes `raw` when it cannot be made.
napi_value NewHandle(Addon& addon, Kind kind, void* raw, std::shared_ptr<Extra> extra = nullptr);
Handle& HandleOf(const Args& args, size_t i, Kind kind);
template <typename T>
T* RawOf(const Args& args, size_t i, Kind kind) {
  return static_cast<T*>(HandleOf(args, i, kind).raw);
}
// Waits for what runs in it.
void CloseHandle(Handle& handle);
// The library's object is about to be closed elsewhere; to be kept until it is.
std::shared_ptr<Extra> ForgetHandle(Handle& handle);

}  // namespace ferry::node

// The script modules of this room: one file each under modules/, one row each in modules/list.inc.
#pragma once

#include <vector>

#include "device-runtime/bindings/host.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

// For Isolate::Options::modules; the options' host must then be a bindings::Host*.
std::vector<const vm::NativeModule*> AllModules();

// The host of the isolate that makes this call.
inline Host& HostOf(const vm::CallContext& c) {
  return *static_cast<Host*>(c.host());
}

}  // namespace ferry::bindings

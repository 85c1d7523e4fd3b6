// The script type `Model`: a model of the task with a session of its own. Scripts see:
//
//   model.run({"image": t}) -> {"prob": t, ..}
//   model.inputs, model.outputs: lists of {"name", "dtype", "shape"} with -1 for a free extent
#pragma once

#include <memory>

#include "device-runtime/engine/engine.h"
#include "device-runtime/vm/native.h"

namespace ferry::bindings {

const vm::NativeType& ModelType();
// Makes the session; its activations count against the isolate's memory.
Result<vm::Value> NewModel(vm::CallContext& c, std::shared_ptr<const engine::Model> model);

}  // namespace ferry::bindings

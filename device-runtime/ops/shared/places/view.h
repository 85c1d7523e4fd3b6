// Operators that only rename the shape of their input: no element moves.
#pragma once

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {

inline Status ReferenceView(ReferenceContext& c) {
  CopyAll(c.In(0), c.Out(0));
  return OkStatus();
}
inline Status LowerView(LowerContext& c) {
  c.Alias(0, c.In(0));
  return OkStatus();
}
// For views that keep the shape too, whatever the layout.
inline Status LowerSame(LowerContext& c) {
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  c.Alias(0, c.In(0, layout), layout);
  return OkStatus();
}
inline Status InferSame(InferContext& c) {
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

}  // namespace ferry::ops

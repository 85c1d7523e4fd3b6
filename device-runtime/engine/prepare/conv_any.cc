// Convolutions of other numbers than float32, whose epilogues have no activation.
#include "device-runtime/kernels/conv/any.h"

#include "device-runtime/engine/prepare/epilogue.h"
#include "device-runtime/engine/prepare/prepare.h"

namespace ferry::engine {

Result<PreparedStep> PrepareConvAny(Preparer& p, const kernels::ConvShape& shape,
                                    const ir::ConvPrim& prim, const ir::Step& step) {
  if (prim.post.activation != ir::Activation::kNone) {
    return Status(Code::kInternal, "an activation behind a convolution of another dtype than f32");
  }
  const int x = step.inputs[0], w = step.inputs[1], bias = Slot(step, 2), add = Slot(step, 3);
  const int y = step.outputs[0];
  return PreparedStep{[=, dtype = p.TypeOf(y)](const RunContext& c) {
                        const bool done = kernels::ConvAny(c.parallel, dtype, shape, c.at[x],
                                                           c.at[w], bias < 0 ? nullptr : c.at[bias],
                                                           add < 0 ? nullptr : c.at[add], c.at[y]);
                        return done ? OkStatus()
                                    : Status(Code::kInternal, "no convolution of this dtype");
                      },
                      "any"};
}

}  // namespace ferry::engine

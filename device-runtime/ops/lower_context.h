// How an operator writes itself as primitives. Channels-last forms of values are made when a
// primitive first asks for them and kept, so that a chain of convolutions is never transposed
// between.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "device-runtime/ir/program.h"
#include "device-runtime/ops/node_context.h"

namespace ferry::ops {

using ir::BufferId;
using ir::Layout;

// The buffers that hold one logical value, by layout; -1: not made yet.
struct Forms {
  std::array<BufferId, 2> buffer{-1, -1};
  BufferId& operator[](Layout layout) { return buffer[static_cast<size_t>(layout)]; }
  BufferId operator[](Layout layout) const { return buffer[static_cast<size_t>(layout)]; }
};

class LowerContext : public NodeContext {
 public:
  // `inputs` and `outputs` are parallel to the node's (null for left-out ones).
  LowerContext(const Node& node, std::span<const ValueInfo* const> infos,
               std::span<const ValueInfo* const> output_infos, ir::Program& program,
               std::vector<Forms*> inputs, std::vector<Forms*> outputs)
      : NodeContext(node, infos),
        output_infos_(output_infos),
        program_(program),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  const ValueInfo& OutputInfo(int i) const { return *output_infos_[static_cast<size_t>(i)]; }
  const Shape& OutputShape(int i) const { return OutputInfo(i).shape; }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  bool HasOutput(int i) const { return i < output_count() && outputs_[static_cast<size_t>(i)]; }

  // The buffer of input `i` in a layout; emits the raster that makes it when it is not there yet.
  BufferId In(int i, Layout layout = Layout::kPlain);
  // Whether input `i` exists in channels-last form and has no plain form.
  bool IsChannelsLast(int i) const;
  // A new buffer for output `i` in a layout.
  BufferId Out(int i, Layout layout = Layout::kPlain);
  // Makes output `i` another name of `source` (same byte count), in a layout.
  void Alias(int i, BufferId source, Layout layout = Layout::kPlain);
  // Another name of `source` (same byte count) with a dtype and shape of its own.
  BufferId View(BufferId source, DType dtype, const Shape& shape);
  BufferId Temporary(DType dtype, const Shape& shape);
  BufferId Constant(Tensor tensor);
  void Emit(ir::Primitive primitive, std::vector<BufferId> inputs, BufferId output);
  void EmitMany(ir::Primitive primitive, std::vector<BufferId> inputs,
                std::vector<BufferId> outputs);
  // The operator itself, for texts and tables (ir::HostPrim).
  void EmitHost();

  // From here on In gives f32 forms of inputs that are other floats, and Out f32 buffers that
  // Finish turns into outputs of their own dtype: for operators whose primitives know no f16.
  // With `doubles` f64 too.
  void ComputeInFloat(bool doubles = false);
  bool computes_in_float() const { return in_float_; }
  // The dtype of In(i) and of Out(i).
  DType InType(int i) const { return Computed(Input(i).dtype); }
  DType OutType(int i) const { return Computed(OutputInfo(i).dtype); }
  // Converts what ComputeInFloat left to convert. The lowering calls it.
  void Finish();
  // `from` (plain, of `shape`) as elements of another dtype, as maps convert.
  BufferId Cast(BufferId from, DType to, const Shape& shape);
  // A copy of `from` by one region.
  BufferId Moved(BufferId from, DType dtype, const Shape& shape, const ir::Region& region);

 private:
  struct Pending {
    int output;
    Layout layout;
    BufferId made;
  };
  DType Computed(DType dtype) const;
  BufferId Widened(BufferId from, const Shape& shape);
  BufferId OwnOut(int i, Layout layout);

  bool in_float_ = false, doubles_ = false;
  std::vector<Pending> pending_;
  std::array<std::vector<BufferId>, 2> widened_;  // of each input, by layout
  std::span<const ValueInfo* const> output_infos_;
  ir::Program& program_;
  std::vector<Forms*> inputs_;
  std::vector<Forms*> outputs_;
};

// `shape` with axis 1 moved to the end (rank >= 2; others unchanged).
Shape ChannelsLast(const Shape& shape);
// The region that copies all of a dense `shape`, seen in order of `axes`, to a dense buffer.
ir::Region Permuted(const Shape& shape, std::span<const int> axes);
// Emits the raster that makes the channels-last form of a plain buffer, or the other way round.
BufferId Convert(ir::Program& program, BufferId from, DType dtype, const Shape& plain_shape,
                 Layout to, const std::string& node);

}  // namespace ferry::ops

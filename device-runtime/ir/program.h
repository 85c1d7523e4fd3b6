// The lowered form of a graph at fixed shapes: a list of steps, each a primitive on buffers. After
// the geometry computing of Walle (OSDI 2022) and MNN: operators lower to a small set of
// primitives, data movement all to one of them, the raster. Sizes are concrete; what runs a
// primitive is the engine's choice. Meaning and layouts of each primitive: the kernel of the same
// name in device-runtime/kernels.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/map.h"

namespace ferry::ir {

using BufferId = int32_t;

// How the elements of a logical value lie in memory. kChannelsLast: axis 1 (channels) moved to the
// end, [n,c,h,w] as [n,h,w,c]; the only difference is the order.
enum class Layout : uint8_t { kPlain, kChannelsLast };

// "" = none, else a name of kernels' Activation in ONNX spelling: Clip, HardSigmoid, HardSwish,
// LeakyRelu, Sigmoid, Silu, Tanh (Relu is Clip from 0).
struct PostOp {
  std::string activation;
  float low = -std::numeric_limits<float>::infinity();  // or alpha
  float high = std::numeric_limits<float>::infinity();  // or beta
};

struct ConvPrim {  // x NHWC, w [out_c, in_c/groups, kh, kw], bias?, add? -> y NHWC
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride_h, stride_w,
      dilation_h, dilation_w, pad_top, pad_left, groups;
  PostOp post;
};
struct MatMulPrim {  // a, b, bias?, add? -> y [batch, m, n] dense; b is k x n
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column;   // strides in elements
  std::vector<int64_t> a_offsets, b_offsets;  // one per product of the batch
  PostOp post;
};
enum class PoolKind : uint8_t { kMax, kAverage, kAverageWithPad };
struct PoolPrim {  // x NHWC -> y NHWC
  PoolKind kind;
  int64_t batch, in_h, in_w, channels, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w,
      dilation_h, dilation_w, pad_top, pad_left, pad_bottom, pad_right;
};
struct UnaryPrim {  // f32, dense
  std::string op;   // a name of kernels' unary.inc
  float alpha = 0, beta = 0;
  int64_t count = 0;
};
struct BinaryPrim {  // f32 a, b -> dense y
  std::string op;    // a name of kernels' binary.inc
  int rank = 0;
  std::array<int64_t, tensor::kMaxRank> size{}, a_stride{}, b_stride{};
};
struct ReducePrim {  // f32 [outer,size,inner] -> [outer,inner]
  std::string op;    // Sum, Mean, Max, Min, Prod, SumSquare, L1, L2
  int64_t outer, size, inner;
};
struct SoftmaxPrim {  // f32 [outer,size,inner]
  int64_t outer, size, inner;
  bool logarithm;
};
struct Region {  // see kernels/raster/raster.h
  int rank = 0;
  std::array<int64_t, tensor::kMaxRank> size{}, from_stride{}, to_stride{};
  int64_t from = 0, to = 0;
};
struct RasterPrim {  // copies of regions of the inputs into y
  struct Copy {
    int input;
    Region region;
  };
  std::optional<uint64_t> fill;  // first fills y with this element's bits
  std::vector<Copy> copies;
};
struct GatherPrim {  // x [outer,size,inner], i64 indices [count] -> y [outer,count,inner]
  int64_t outer, size, inner, count;
};
struct CallPrim {  // the naive reference of the operator itself, on plain layouts
  std::shared_ptr<const Node> node;
};
using Primitive = std::variant<ConvPrim, MatMulPrim, PoolPrim, UnaryPrim, BinaryPrim, MapPrim,
                               ReducePrim, SoftmaxPrim, RasterPrim, GatherPrim, CallPrim>;
// "conv", "raster", ...
const char* PrimitiveName(const Primitive& primitive);

// Memory of a dtype and shape (as it lies: a channels-last buffer has the permuted shape). A buffer
// with an alias is another name for all of that buffer's bytes.
struct BufferInfo {
  DType dtype;
  Shape shape;
  std::optional<Tensor> constant;
  BufferId alias = -1;
  int input = -1;  // index of the graph input it is, or -1
};

struct Step {
  Primitive primitive;
  std::vector<BufferId> inputs;  // -1: left out
  std::vector<BufferId> outputs;
  std::string node;  // the graph node it came from
};

struct Program {
  std::vector<BufferInfo> buffers;
  std::vector<Step> steps;
  std::vector<BufferId> outputs;

  // The buffer that holds the bytes: follows aliases.
  BufferId Root(BufferId id) const;
};

// Checks that steps read only what exists (inputs, constants, outputs of earlier steps), that each
// buffer is written once, and that every access of a primitive lies inside its buffers: what passes
// cannot touch foreign memory. kInternal naming step, node and buffer.
Status Verify(const Program& program);
// One line a step.
std::string Print(const Program& program);

}  // namespace ferry::ir

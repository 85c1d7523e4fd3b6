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
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "device-runtime/ir/graph.h"
#include "device-runtime/ir/kinds.h"
#include "device-runtime/ir/map.h"

namespace ferry::ir {

using BufferId = int32_t;

// How the elements of a logical value lie in memory. kChannelsLast: axis 1 (channels) moved to the
// end, [n,c,h,w] as [n,h,w,c]; the only difference is the order.
enum class Layout : uint8_t { kPlain, kChannelsLast };

struct PostOp {
  Activation activation = Activation::kNone;
  float low = -std::numeric_limits<float>::infinity();  // or alpha
  float high = std::numeric_limits<float>::infinity();  // or beta
};

struct ConvPrim {  // x NHWC, w [out_c, in_c/groups, kh, kw], bias?, add? -> y NHWC; f32, f64, i32
  int64_t batch, in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride_h, stride_w,
      dilation_h, dilation_w, pad_top, pad_left, groups;
  PostOp post;
};
struct MatMulPrim {  // a, b, bias?, add? -> y [batch, m, n] dense; b is k x n; f32, f64, i32...u64
  int64_t m, n, k;
  int64_t a_row, a_column, b_row, b_column;   // strides in elements
  std::vector<int64_t> a_offsets, b_offsets;  // one per product of the batch
  PostOp post;
};
enum class PoolKind : uint8_t { kMax, kAverage, kAverageWithPad };
struct PoolPrim {  // x NHWC -> y NHWC, f32; the largest of u8 and i8 too
  PoolKind kind;
  int64_t batch, in_h, in_w, channels, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w,
      dilation_h, dilation_w, pad_top, pad_left, pad_bottom, pad_right;
};
// What follows an integer sum, as kernels/quant/quant.h (QuantEpilogue) says; the type of the
// result is that of the output buffer: u8, i8, f32 or i32.
struct QuantPost {
  bool rounds_first = false;
  float add_zero = 0, add_factor = 0, first_low = 0, first_high = 0, first_factor = 1;
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
  int32_t zero = 0;
};
// Sums of (x - x_zero) * w in i32. x u8 or i8 NHWC, w i8 as ConvPrim's, factor f32 [out_c] (not for
// i32 results), bias i32 [out_c]?, offset f32 [out_c]?, add u8 or i8?, x_zero of x's type (instead
// of the number)? -> y NHWC. A product of m rows is an image m high and 1 wide.
struct QuantConvPrim {
  ConvPrim conv;  // without post
  int32_t x_zero = 0;
  QuantPost post;
};
struct QuantPoolPrim {  // means of u8 or i8 x NHWC -> y NHWC
  PoolPrim pool;        // an average
  int32_t x_zero = 0;
  float factor = 1;
  QuantPost post;
};
// Functions of u8 and i8 elements, one by one; numbers as kernels/quant/types.h (QuantBinaryShape)
// says. kTable: x [inner], table [256] of y's type: y = table[x]. kQuantize: f32 x
// [outer,repeat,inner] -> y [outer,inner,repeat], at most 4 of `repeat`:
// nearest(x / a_factor) + zero, saturated. kAdd, kMul: a [outer,repeat,inner], b [outer,inner] -> y
// as a.
enum class BytesKind : uint8_t { kTable, kQuantize, kAdd, kMul };
struct BytesPrim {
  BytesKind kind = BytesKind::kTable;
  int64_t outer = 1, repeat = 1, inner = 0;
  float a_zero = 0, b_zero = 0, a_factor = 1, b_factor = 1, low = 0, high = 0;
  int32_t zero = 0;
};
// Pools of any rank and of any numbers, over [planes, in...] -> [planes, out...].
struct WindowPrim {
  enum class Kind : uint8_t { kMax, kAverage, kAverageWithPad, kNorm };  // kNorm: (sum |x|^p)^(1/p)
  Kind kind = Kind::kMax;
  double p = 2;            // of kNorm
  bool by_column = false;  // positions count with the first axis running fastest
  int axes = 0;
  int64_t planes = 0;
  std::array<int64_t, tensor::kMaxRank> in{}, out{}, kernel{}, stride{}, dilation{}, pad_begin{},
      pad_end{};
  // Outputs: the values; for kMax also, if there is a second, the place of each in all of x (i64).
};
struct ReducePrim {  // numbers [outer,size,inner] -> [outer,inner] (of ArgMax... i64)
  ReduceKind kind;
  int64_t outer, size, inner;
};
struct ScanPrim {  // numbers [outer,size,inner]: sums or products of all elements before
  bool product = false, exclusive = false, reverse = false;
  int64_t outer, size, inner;
};
struct SortPrim {  // numbers [outer,size,inner] -> the first `count`, and their indices (i64)
  int64_t outer, size, inner, count;
  bool largest;
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
// Copies of regions of the inputs into y, in order: later ones may lie over earlier ones.
struct RasterPrim {
  struct Copy {
    int input;
    Region region;
  };
  std::optional<uint64_t> fill;  // first fills y with this element's bits
  std::vector<Copy> copies;
};
// Places in a tensor that indices (i64 or i32) name. For each point of a grid of `size`:
// the place is the point times data_stride, plus for each k < depth the index at (point times
// index_stride, plus k * index_step) times extent_stride[k]; negative indices count from the end of
// extent[k]. What lies there is `inner` neighbouring elements. All in elements.
struct IndexGrid {
  int rank = 0, depth = 0;
  std::array<int64_t, tensor::kMaxRank> size{}, data_stride{}, index_stride{};
  std::array<int64_t, tensor::kMaxRank> extent{}, extent_stride{};
  int64_t index_step = 0, inner = 1;
  int64_t points() const;
};
struct GatherPrim {  // x, indices -> y [grid, inner]: what lies at each place of x
  IndexGrid grid;
};
enum class ScatterKind : uint8_t { kReplace, kAdd, kMul, kMin, kMax };
struct ScatterPrim {  // x, indices, updates [grid, inner] -> y: x with the updates at their places
  IndexGrid grid;
  ScatterKind kind = ScatterKind::kReplace;
};
enum class RandomKind : uint8_t { kUniform, kNormal, kMultinomial };
// f32 or f64 numbers [0, 1) or of mean 0 and variance 1, times `scale` plus `shift`; or (i32, i64)
// `samples` classes for each row of x, f32 or f64 [rows, classes], logarithms of their weights.
struct RandomPrim {
  RandomKind kind = RandomKind::kUniform;
  std::optional<uint64_t> key;  // absent: a new one each run
  double scale = 1, shift = 0;
  int64_t rows = 0, classes = 0, samples = 0;
};
enum class SampleMode : uint8_t { kNearest, kLinear, kCubic };
enum class SamplePadding : uint8_t { kZeros, kBorder, kReflection };
// x [batch, channels, in...] (f32 or f64) read at places [batch, points, axes] (f32 or f64): from
// -1 to 1 with the last axis first, or in elements with the first one first -> y
// [batch, channels, points].
struct SamplePrim {
  SampleMode mode = SampleMode::kLinear;
  SamplePadding padding = SamplePadding::kZeros;
  bool normalized = true, align = false;
  int axes = 0;
  int64_t batch = 0, channels = 0, points = 0;
  std::array<int64_t, tensor::kMaxRank> in{};
};
enum class RegionKind : uint8_t { kAlignAverage, kAlignMax, kMax };
// Cells of regions of images x [images, channels, in_h, in_w]; y [regions, channels, out_h, out_w].
// Align: regions [regions, 4] of x's dtype, images i64 [regions]. kMax: regions [regions, 5], the
// first number is the image.
struct RegionPrim {
  RegionKind kind = RegionKind::kAlignAverage;
  int64_t images = 0, channels = 0, in_h = 0, in_w = 0, regions = 0, out_h = 0, out_w = 0;
  int64_t samples = 0;  // of a cell along an axis; 0: as many as it has elements
  double scale = 1;
  bool half_pixel = false;
};
enum class CellKind : uint8_t { kRnn, kGru, kLstm };
struct CellActivation {
  CellFunction function = CellFunction::kTanh;
  float alpha = 0, beta = 0;
};
// One direction of a recurrent network, f32. Inputs: w x + biases of all steps [steps, batch,
// gates * hidden], r [gates * hidden, hidden], bias of the candidate's state product [hidden]?
// (kGru with `flag`), lengths i32 [batch]?, h0 [batch, hidden]?, c0?, peepholes [3 * hidden]?.
// Outputs: all states [steps, batch, hidden], the last one, and (kLstm) the last cell.
struct RecurrentPrim {
  CellKind kind = CellKind::kLstm;
  int64_t steps = 0, batch = 0, hidden = 0;
  bool reverse = false;
  bool flag = false;  // kGru: linear_before_reset, kLstm: input_forget
  float clip = 0;     // 0: none
  std::vector<CellActivation> activations;
};
// Each head of keys keeps a matrix [key, value] (ONNX LinearAttention), f32. Inputs: query, key,
// value, past?, decay?, beta?; outputs: y, the matrices.
struct LinearAttentionPrim {
  int64_t batch = 0, length = 0, query_heads = 0, heads = 0, key = 0, value = 0;
  bool decays = false, decay_of_head = false;  // one number a head, else one a row
  bool corrects = false, one_beta = false;     // the delta rule; one beta for all heads
  float scale = 1;
};
// Discrete Fourier transforms along an axis: x [outer, size, inner, parts] (f32 or f64) -> y
// [outer, bins, inner, out_parts].
struct FourierPrim {
  int64_t outer = 0, size = 0, inner = 0, length = 0, bins = 0;
  int parts = 2, out_parts = 2;
  bool inverse = false;
  bool half = false;   // inverse: of the first half of a real signal's spectrum
  bool exact = false;  // in double whatever the dtype
};
struct DeterminantPrim {  // f32 or f64 [count, size, size] -> [count]
  int64_t count, size;
};
// Functions of texts and tables (host_functions.inc), which every backend leaves to the processor
// that the runtime runs on: the operator itself on plain layouts.
struct HostPrim {
  std::shared_ptr<const Node> node;
};
// f32 rows [outer,size] brought to mean 0 (if centered) and mean square 1, then times scale? plus
// bias? (each [size]): x, scale?, bias? -> y
struct NormPrim {
  int64_t outer, size;
  float epsilon;
  bool centered;
};
// softmax(scale * q k^T + bias + bias) v: q, k, v, bias?, bias? -> y, all f32. Sizes and strides of
// the batch axes (heads among them) are up to the operands; strides in elements.
struct AttentionPrim {
  struct View {
    int64_t offset = 0, row = 0, column = 0;
    std::array<int64_t, tensor::kMaxRank> batch{};
  };
  int rank = 0;  // of the batch axes
  std::array<int64_t, tensor::kMaxRank> size{};
  int64_t queries = 0, keys = 0, depth = 0, value_depth = 0;
  float scale = 1;
  View q, k, v, y;             // [queries,depth] [keys,depth] [keys,value_depth]; y's column is 1
  std::array<View, 2> biases;  // [queries,keys]
};
// Queries and values of a head that attention takes in one piece.
inline constexpr int64_t kMaxAttentionDepth = 256;
// Whether HostPrim has a function for an operator.
bool IsHostFunction(const std::string& op);

using Primitive =
    std::variant<ConvPrim, MatMulPrim, PoolPrim, WindowPrim, MapPrim, ReducePrim, ScanPrim,
                 SortPrim, SoftmaxPrim, RasterPrim, GatherPrim, ScatterPrim, RandomPrim, SamplePrim,
                 RegionPrim, RecurrentPrim, LinearAttentionPrim, FourierPrim, DeterminantPrim,
                 HostPrim, NormPrim, AttentionPrim, QuantConvPrim, QuantPoolPrim, BytesPrim>;
// "conv", "raster", ...
const char* PrimitiveName(const Primitive& primitive);
std::span<const char* const> PrimitiveNames();  // all, in the order of the variant

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

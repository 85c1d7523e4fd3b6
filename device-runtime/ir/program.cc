#include "device-runtime/ir/program.h"

#include <algorithm>

namespace ferry::ir {
namespace {

constexpr const char* kPrimitiveNames[] = {"conv",
                                           "matmul",
                                           "pool",
                                           "window",
                                           "map",
                                           "reduce",
                                           "scan",
                                           "sort",
                                           "softmax",
                                           "raster",
                                           "gather",
                                           "scatter",
                                           "random",
                                           "sample",
                                           "region",
                                           "recurrent",
                                           "linear_attention",
                                           "fourier",
                                           "determinant",
                                           "host",
                                           "norm",
                                           "attention",
                                           "qconv",
                                           "qpool",
                                           "bytes"};
static_assert(std::size(kPrimitiveNames) == std::variant_size_v<Primitive>);

std::string PostText(const PostOp& post) {
  if (post.activation == Activation::kNone) return "";
  return fmt::format(" then {}({}, {})", Name(post.activation), post.low, post.high);
}

struct PrimitiveText {
  std::string operator()(const ConvPrim& p) const {
    return fmt::format("{}x{}x{} -> {}x{}x{} kernel {}x{} stride {}x{} groups {}{}", p.in_h, p.in_w,
                       p.in_c, p.out_h, p.out_w, p.out_c, p.kernel_h, p.kernel_w, p.stride_h,
                       p.stride_w, p.groups, PostText(p.post));
  }
  std::string operator()(const MatMulPrim& p) const {
    return fmt::format("{} x {}x{}x{}{}", p.a_offsets.size(), p.m, p.n, p.k, PostText(p.post));
  }
  std::string operator()(const PoolPrim& p) const {
    return fmt::format("{}x{}x{} kernel {}x{}", p.in_h, p.in_w, p.channels, p.kernel_h, p.kernel_w);
  }
  std::string operator()(const WindowPrim& p) const {
    static constexpr const char* kKinds[] = {"max", "average", "average with pad", "norm"};
    return fmt::format("{} of {} planes, {} axes", kKinds[static_cast<int>(p.kind)], p.planes,
                       p.axes);
  }
  std::string operator()(const MapPrim& p) const { return Text(p); }
  std::string operator()(const ReducePrim& p) const {
    return fmt::format("{} {}x{}x{}", Name(p.kind), p.outer, p.size, p.inner);
  }
  std::string operator()(const SoftmaxPrim& p) const {
    return fmt::format("{}x{}x{}", p.outer, p.size, p.inner);
  }
  std::string operator()(const RasterPrim& p) const {
    return fmt::format("{} regions", p.copies.size());
  }
  std::string operator()(const ScanPrim& p) const {
    return fmt::format("{} {}x{}x{}{}{}", p.product ? "product" : "sum", p.outer, p.size, p.inner,
                       p.exclusive ? " exclusive" : "", p.reverse ? " reverse" : "");
  }
  std::string operator()(const NormPrim& p) const {
    return fmt::format("{} {}x{}", p.centered ? "layer" : "rms", p.outer, p.size);
  }
  std::string operator()(const AttentionPrim& p) const {
    std::string batch;
    for (int i = 0; i < p.rank; ++i) batch += fmt::format("{}x", p.size[static_cast<size_t>(i)]);
    return fmt::format("{}{}x{} depth {} -> {}", batch, p.queries, p.keys, p.depth, p.value_depth);
  }
  std::string operator()(const QuantConvPrim& p) const {
    return (*this)(p.conv) + (p.post.rounds_first ? " rounded" : "");
  }
  std::string operator()(const QuantPoolPrim& p) const { return (*this)(p.pool); }
  std::string operator()(const BytesPrim& p) const {
    static constexpr const char* kKinds[] = {"table", "quantize", "add", "mul"};
    return fmt::format("{} {}x{}x{}", kKinds[static_cast<int>(p.kind)], p.outer, p.repeat, p.inner);
  }
  std::string operator()(const SortPrim& p) const {
    return fmt::format("{} {} of {}x{}x{}", p.largest ? "largest" : "least", p.count, p.outer,
                       p.size, p.inner);
  }
  std::string operator()(const GatherPrim& p) const {
    return fmt::format("{} of {}", p.grid.points(), p.grid.inner);
  }
  std::string operator()(const ScatterPrim& p) const {
    static constexpr const char* kKinds[] = {"replace", "add", "mul", "min", "max"};
    return fmt::format("{} {} of {}", kKinds[static_cast<int>(p.kind)], p.grid.points(),
                       p.grid.inner);
  }
  std::string operator()(const RandomPrim& p) const {
    static constexpr const char* kKinds[] = {"uniform", "normal", "multinomial"};
    return kKinds[static_cast<int>(p.kind)];
  }
  std::string operator()(const SamplePrim& p) const {
    static constexpr const char* kModes[] = {"nearest", "linear", "cubic"};
    return fmt::format("{} {}x{} at {} points of {} axes", kModes[static_cast<int>(p.mode)],
                       p.batch, p.channels, p.points, p.axes);
  }
  std::string operator()(const RegionPrim& p) const {
    static constexpr const char* kKinds[] = {"align average", "align max", "max"};
    return fmt::format("{} {} regions {}x{}", kKinds[static_cast<int>(p.kind)], p.regions, p.out_h,
                       p.out_w);
  }
  std::string operator()(const RecurrentPrim& p) const {
    static constexpr const char* kKinds[] = {"rnn", "gru", "lstm"};
    return fmt::format("{} {} steps {}x{}{}", kKinds[static_cast<int>(p.kind)], p.steps, p.batch,
                       p.hidden, p.reverse ? " reverse" : "");
  }
  std::string operator()(const LinearAttentionPrim& p) const {
    return fmt::format("{}x{} heads {}/{} of {}x{}", p.batch, p.length, p.query_heads, p.heads,
                       p.key, p.value);
  }
  std::string operator()(const FourierPrim& p) const {
    return fmt::format("{}x{} of {}{}", p.outer, p.inner, p.length, p.inverse ? " inverse" : "");
  }
  std::string operator()(const DeterminantPrim& p) const {
    return fmt::format("{} of {}", p.count, p.size);
  }
  std::string operator()(const HostPrim& p) const { return p.node->op; }
};

std::string Ids(const std::vector<BufferId>& ids) {
  std::string out;
  for (BufferId id : ids) {
    if (!out.empty()) out += ", ";
    out += id < 0 ? "-" : fmt::format("%{}", id);
  }
  return out;
}

}  // namespace

bool IsHostFunction(const std::string& op) {
  static constexpr const char* kNames[] = {
#define FERRY_HOST(name) name,
#include "device-runtime/ir/host_functions.inc"
#undef FERRY_HOST
  };
  return std::ranges::find(kNames, op) != std::end(kNames);
}

int64_t IndexGrid::points() const {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= size[static_cast<size_t>(axis)];
  return count;
}

std::span<const char* const> PrimitiveNames() {
  return kPrimitiveNames;
}

const char* PrimitiveName(const Primitive& primitive) {
  return kPrimitiveNames[primitive.index()];
}

BufferId Program::Root(BufferId id) const {
  while (buffers[id].alias >= 0) id = buffers[id].alias;
  return id;
}

std::string Print(const Program& program) {
  std::string out;
  for (const Step& step : program.steps) {
    const BufferInfo& y = program.buffers[step.outputs[0]];
    out += fmt::format("{} = {} {} ({}) -> {} {}  # {}\n", Ids(step.outputs),
                       PrimitiveName(step.primitive), std::visit(PrimitiveText{}, step.primitive),
                       Ids(step.inputs), tensor::DTypeName(y.dtype), y.shape.ToString(), step.node);
  }
  return out;
}

}  // namespace ferry::ir

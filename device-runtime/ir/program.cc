#include "device-runtime/ir/program.h"

namespace ferry::ir {
namespace {

constexpr const char* kPrimitiveNames[] = {"conv",   "matmul",  "pool",   "unary",  "binary", "map",
                                           "reduce", "softmax", "raster", "gather", "call"};
static_assert(std::size(kPrimitiveNames) == std::variant_size_v<Primitive>);

std::string PostText(const PostOp& post) {
  if (post.activation.empty()) return "";
  return fmt::format(" then {}({}, {})", post.activation, post.low, post.high);
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
  std::string operator()(const UnaryPrim& p) const { return fmt::format("{} {}", p.op, p.count); }
  std::string operator()(const BinaryPrim& p) const { return p.op; }
  std::string operator()(const MapPrim& p) const { return Text(p); }
  std::string operator()(const ReducePrim& p) const {
    return fmt::format("{} {}x{}x{}", p.op, p.outer, p.size, p.inner);
  }
  std::string operator()(const SoftmaxPrim& p) const {
    return fmt::format("{}x{}x{}", p.outer, p.size, p.inner);
  }
  std::string operator()(const RasterPrim& p) const {
    return fmt::format("{} regions", p.copies.size());
  }
  std::string operator()(const GatherPrim& p) const {
    return fmt::format("{} of {}x{}x{}", p.count, p.outer, p.size, p.inner);
  }
  std::string operator()(const CallPrim& p) const { return p.node->op; }
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

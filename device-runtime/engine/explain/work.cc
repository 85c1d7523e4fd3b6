#include "device-runtime/engine/explain/work.h"

#include <fmt/format.h>

#include <type_traits>

namespace ferry::engine {
namespace {

double Product(std::initializer_list<int64_t> sizes) {
  double product = 1;
  for (int64_t size : sizes) product *= static_cast<double>(size);
  return product;
}

void Describe(const ir::ConvPrim& p, Work& work) {
  work.flops =
      2 * Product({p.batch, p.out_h, p.out_w, p.out_c, p.in_c / p.groups, p.kernel_h, p.kernel_w});
  work.sizes =
      fmt::format("{}x{}x{}x{} {}x{}", p.batch, p.in_h, p.in_w, p.in_c, p.kernel_h, p.kernel_w);
  if (p.stride_h != 1 || p.stride_w != 1) work.sizes += fmt::format("/{}", p.stride_h);
  if (p.dilation_h != 1 || p.dilation_w != 1)
    work.sizes += fmt::format(" dilated {}", p.dilation_h);
  work.sizes += fmt::format(" -> {}x{}x{}", p.out_h, p.out_w, p.out_c);
  if (p.groups != 1) work.sizes += fmt::format(" groups {}", p.groups);
}

void Describe(const ir::MatMulPrim& p, Work& work) {
  const auto batch = static_cast<int64_t>(p.a_offsets.size());
  work.flops = 2 * Product({batch, p.m, p.n, p.k});
  work.sizes = fmt::format("{}x{}x{}", p.m, p.k, p.n);
  if (batch != 1) work.sizes = fmt::format("{} of ", batch) + work.sizes;
}

void Describe(const ir::PoolPrim& p, Work& work) {
  work.flops = Product({p.batch, p.out_h, p.out_w, p.channels, p.kernel_h, p.kernel_w});
  work.sizes = fmt::format("{}x{}x{}x{} {}x{}/{}", p.batch, p.in_h, p.in_w, p.channels, p.kernel_h,
                           p.kernel_w, p.stride_h);
}

void Describe(const ir::ReducePrim& p, Work& work) {
  work.flops = Product({p.outer, p.size, p.inner});
  work.sizes = fmt::format("{} {}x{}x{}", ir::Name(p.kind), p.outer, p.size, p.inner);
}

void Describe(const ir::SoftmaxPrim& p, Work& work) {
  work.flops = 20 * Product({p.outer, p.size, p.inner});
  work.sizes = fmt::format("{}x{}x{}", p.outer, p.size, p.inner);
}

void Describe(const ir::MapPrim& p, Work& work) {
  work.flops = static_cast<double>(p.elements()) * static_cast<double>(p.code.size());
}

void Describe(const ir::GatherPrim& p, Work& work) {
  work.sizes = fmt::format("{} of {}", p.grid.points(), p.grid.inner);
}

void Describe(const ir::RecurrentPrim& p, Work& work) {
  const int64_t gates = p.kind == ir::CellKind::kRnn ? 1 : p.kind == ir::CellKind::kGru ? 3 : 4;
  work.flops = 2 * Product({p.steps, p.batch, gates * p.hidden, p.hidden});
  work.sizes = fmt::format("{} steps {}x{}", p.steps, p.batch, p.hidden);
}

void Describe(const ir::RasterPrim& p, Work& work) {
  work.sizes = fmt::format("{} regions", p.copies.size());
}

void Describe(const ir::QuantConvPrim& p, Work& work) {
  Describe(p.conv, work);
}

void Describe(const ir::QuantPoolPrim& p, Work& work) {
  Describe(p.pool, work);
}

void Describe(const ir::NormPrim& p, Work& work) {
  work.flops = 4 * Product({p.outer, p.size});
  work.sizes = fmt::format("{}x{}", p.outer, p.size);
}

void Describe(const ir::AttentionPrim& p, Work& work) {
  double heads = 1;
  for (int i = 0; i < p.rank; ++i) heads *= static_cast<double>(p.size[static_cast<size_t>(i)]);
  work.flops = 2 * heads * Product({p.queries, p.keys, p.depth + p.value_depth});
  work.sizes = fmt::format("{} of {}x{} depth {}", heads, p.queries, p.keys, p.depth);
}

// Of the others the buffers say enough.
template <typename Other>
void Describe(const Other&, Work& work) {
  work.is_counted = false;
}

double BytesOf(const ir::Program& program, ir::BufferId id) {
  if (id < 0) return 0;
  const ir::BufferInfo& buffer = program.buffers[static_cast<size_t>(id)];
  return static_cast<double>(buffer.shape.elements()) *
         static_cast<double>(tensor::DTypeSize(buffer.dtype));
}

}  // namespace

Work WorkOf(const ir::Program& program, const ir::Step& step) {
  Work work;
  std::visit([&](const auto& primitive) { Describe(primitive, work); }, step.primitive);
  for (ir::BufferId id : step.inputs) work.bytes += BytesOf(program, id);
  for (ir::BufferId id : step.outputs) work.bytes += BytesOf(program, id);
  if (const auto* gather = std::get_if<ir::GatherPrim>(&step.primitive)) {
    // Of its source it reads only what it copies.
    work.bytes = 2 * BytesOf(program, step.outputs[0]) +
                 static_cast<double>(gather->grid.points()) * sizeof(int64_t);
  }
  if (work.sizes.empty() && !step.outputs.empty() && step.outputs[0] >= 0) {
    const ir::BufferInfo& out = program.buffers[static_cast<size_t>(step.outputs[0])];
    work.sizes = out.shape.ToString();
    if (work.flops == 0) work.flops = static_cast<double>(out.shape.elements());
  }
  return work;
}

}  // namespace ferry::engine

#include "device-runtime/engine/tune/trials.h"

#include "device-runtime/tensor/buffer.h"

namespace ferry::engine {
namespace {

// Whole small numbers; null when there is no memory.
std::shared_ptr<tensor::Buffer> Floats(size_t count) {
  auto buffer = tensor::Buffer::Allocate(static_cast<int64_t>(count * sizeof(float)));
  if (!buffer.ok()) return nullptr;
  auto* floats = reinterpret_cast<float*>(buffer->data());
  for (size_t i = 0; i < count; ++i) floats[i] = static_cast<float>(i % 7) - 3.0f;
  return std::make_shared<tensor::Buffer>(*std::move(buffer));
}

float* At(const std::shared_ptr<tensor::Buffer>& buffer) {
  return reinterpret_cast<float*>(buffer->data());
}

// What all candidates of one primitive share; taken when the first is timed.
struct Operands {
  std::shared_ptr<tensor::Buffer> a, b, c;
  bool has_tried = false;

  void Take(size_t a_floats, size_t b_floats, size_t c_floats) {
    has_tried = true;
    a = Floats(a_floats);
    b = Floats(b_floats);
    c = Floats(c_floats);
  }
  bool IsThere() const { return a && b && c; }
};

size_t Product(std::initializer_list<int64_t> sizes) {
  size_t product = 1;
  for (int64_t size : sizes) product *= static_cast<size_t>(size);
  return product;
}

}  // namespace

Tuner::Prepare ConvTrials(const kernels::KernelTable& table, sys::Parallel& parallel,
                          const kernels::ConvShape& s,
                          const std::vector<backends::ConvCandidate>& candidates) {
  return [&table, &parallel, &s, &candidates,
          o = std::make_shared<Operands>()](size_t i) -> std::function<void()> {
    const backends::ConvCandidate c = candidates[i];
    if (!o->has_tried) {
      o->Take(Product({s.batch, s.in_h, s.in_w, s.in_c}),
              Product({s.out_c, s.in_c / s.groups, s.kernel_h, s.kernel_w}),
              Product({s.batch, s.out_h, s.out_w, s.out_c}));
    }
    const auto packed = Floats(kernels::ConvPackedSize(table, c.algorithm, s));
    const auto space = Floats(kernels::ConvWorkspaceSize(table, c.algorithm, s, parallel.width()));
    if (!o->IsThere() || !packed || !space) return nullptr;
    kernels::ConvPack(table, c.algorithm, s, At(o->b), At(packed), c.tiles);
    return [=, &table, &parallel, &s] {
      kernels::Conv(table, parallel, c.algorithm, s, At(o->a), At(packed), {}, At(o->c), At(space),
                    c.tiles);
    };
  };
}

Tuner::Prepare ProductTrials(const kernels::KernelTable& table, sys::Parallel& parallel,
                             const kernels::GemmShape& s,
                             const std::vector<backends::ProductCandidate>& candidates) {
  return [&table, &parallel, &s, &candidates,
          o = std::make_shared<Operands>()](size_t i) -> std::function<void()> {
    const backends::ProductCandidate& c = candidates[i];
    const kernels::Tiles tiles = c.tiles;
    const kernels::ProductFunctions& functions = c.functions();
    if (!o->has_tried) o->Take(Product({s.m, s.k}), Product({s.k, s.n}), Product({s.m, s.n}));
    const auto packed = Floats(functions.packed_size(table, s.k, s.n));
    const auto space = Floats(functions.workspace_size(s, 1));
    if (!o->IsThere() || !packed || !space) return nullptr;
    functions.pack(table, s.k, s.n, {At(o->b), s.n, 1}, At(packed), tiles);
    return [=, &table, &parallel, &s, &functions] {
      functions.run(table, parallel, s, {At(o->a), s.k, 1}, At(packed), {}, At(o->c), s.n,
                    At(space), tiles);
    };
  };
}

}  // namespace ferry::engine

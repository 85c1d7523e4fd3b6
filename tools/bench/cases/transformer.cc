// Cases of language models: linear layers on stored weights, paged attention.
#include <fmt/format.h>

#include <iterator>

#include "device-runtime/kernels/attention/attention.h"
#include "device-runtime/kernels/linear/linear.h"
#include "tools/bench/bench.h"
#include "tools/bench/data.h"

namespace ferry::bench {
namespace {

using kernels::AttentionRow;
using kernels::AttentionShape;
using kernels::KernelTable;
using kernels::WeightMatrix;
using kernels::WeightType;

struct LinearShape {
  int64_t rows, columns;
};

constexpr LinearShape kLinears[] = {{1536, 512}, {512, 1536}};
constexpr int64_t kLinearRows[] = {1, 8, 32, 128};

struct TypeName {
  WeightType type;
  const char* name;
};

constexpr TypeName kTypes[] = {{WeightType::kF32, "f32"},
                               {WeightType::kBF16, "bf16"},
                               {WeightType::kI8, "i8"},
                               {WeightType::kF16, "f16"}};

// A model's worth of weights, more than caches hold: runs walk through it matrix by matrix, as a
// forward pass does.
constexpr size_t kModelBytes = size_t{96} << 20;

struct AttentionCase {
  int64_t heads, kv_heads, head_dim;
  int64_t rows, length;  // the last `rows` positions of `length` ask
};

constexpr AttentionCase kAttentions[] = {
    {8, 4, 64, 1, 512}, {8, 4, 64, 8, 512},   {8, 4, 64, 128, 512},
    {4, 2, 48, 1, 512}, {4, 2, 48, 128, 512},
};

// Random numbers with exponents around 1 in every stored form.
std::shared_ptr<uint32_t[]> RandomWeights(WeightType type) {
  const size_t count = kModelBytes / sizeof(uint32_t);
  auto* data = static_cast<uint32_t*>(TryAllocate(kModelBytes));
  CHECK(data != nullptr) << "out of memory";
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    uint32_t bits = state ^ state >> 15;
    if (type == WeightType::kF32) bits = (bits & 0x807fffffu) | 0x3f000000u;
    if (type == WeightType::kF16) bits = (bits & 0x83ff83ffu) | 0x38003800u;
    if (type == WeightType::kBF16) bits = (bits & 0x807f807fu) | 0x3f003f00u;
    data[i] = bits;
  }
  return {data, [](uint32_t* p) { Deallocate(p); }};
}

Case LinearWith(const KernelTable& table, sys::Parallel& parallel, const TypeName& type,
                const std::shared_ptr<uint32_t[]>& weights, const LinearShape& shape, int64_t m) {
  const Floats x = RandomFloats(static_cast<size_t>(m * shape.columns));
  const Floats out = RandomFloats(static_cast<size_t>(m * shape.rows));
  const Floats scales = RandomFloats(static_cast<size_t>(shape.rows));
  const int64_t bytes = shape.rows * shape.columns * kernels::WeightBytes(type.type);
  const int64_t matrices = static_cast<int64_t>(kModelBytes) / bytes;
  const auto next = std::make_shared<int64_t>(0);
  Case item;
  item.group = "linear";
  item.name = fmt::format("{}x{}x{} {}", m, shape.rows, shape.columns, type.name);
  item.isa = kernels::IsaName(table.isa);
  item.flops = 2.0 * static_cast<double>(m * shape.rows) * static_cast<double>(shape.columns);
  item.bytes = static_cast<double>(bytes);
  item.run = [=, &table, &parallel] {
    WeightMatrix w;
    w.type = type.type;
    w.rows = shape.rows;
    w.columns = shape.columns;
    w.data = reinterpret_cast<const char*>(weights.get()) + *next * bytes;
    w.scales = type.type == WeightType::kI8 ? scales.get() : nullptr;
    *next = (*next + 1) % matrices;
    kernels::Linear(table, parallel, w, x.get(), shape.columns, m, nullptr, out.get(), shape.rows);
  };
  return item;
}

}  // namespace

void AddLinear(const std::vector<std::string>& isas, sys::Parallel& parallel,
               std::vector<Case>* cases) {
  for (const TypeName& type : kTypes) {
    const std::shared_ptr<uint32_t[]> weights = RandomWeights(type.type);
    for (const LinearShape& shape : kLinears) {
      for (const std::string& isa : isas) {
        const KernelTable& table = kernels::TableOf(kernels::IsaFromName(isa.c_str()).value());
        for (int64_t m : kLinearRows) {
          cases->push_back(LinearWith(table, parallel, type, weights, shape, m));
        }
      }
    }
  }
}

void AddAttention(const std::vector<std::string>& isas, sys::Parallel& parallel,
                  std::vector<Case>* cases) {
  for (const AttentionCase& c : kAttentions) {
    AttentionShape shape;
    shape.heads = c.heads;
    shape.kv_heads = c.kv_heads;
    shape.head_dim = c.head_dim;
    shape.scale = 0.125f;
    const int64_t count = (c.length + kernels::kPagePositions - 1) / kernels::kPagePositions;
    const auto layout = std::make_shared<kernels::KvLayout>(
        kernels::LayKvPage(kernels::KvType::kF32, c.kv_heads, c.head_dim, c.head_dim));
    const Floats cache = RandomFloats(static_cast<size_t>(count * layout->bytes / 4));
    auto pages = std::make_shared<std::vector<const uint8_t*>>();
    for (int64_t i = 0; i < count; ++i) {
      pages->push_back(reinterpret_cast<const uint8_t*>(cache.get()) + i * layout->bytes);
    }
    const int64_t row_floats = c.heads * c.head_dim;
    const Floats query = RandomFloats(static_cast<size_t>(c.rows * row_floats));
    const Floats out = RandomFloats(static_cast<size_t>(c.rows * row_floats));
    auto rows = std::make_shared<std::vector<AttentionRow>>();
    double seen = 0;
    for (int64_t i = 0; i < c.rows; ++i) {
      AttentionRow row;
      row.query = query.get() + i * row_floats;
      row.out = out.get() + i * row_floats;
      row.pages = pages->data();
      row.layout = layout.get();
      row.length = c.length - c.rows + 1 + i;
      seen += static_cast<double>(row.length);
      rows->push_back(row);
    }
    for (const std::string& isa : isas) {
      const KernelTable& table = kernels::TableOf(kernels::IsaFromName(isa.c_str()).value());
      Case item;
      item.group = "attention";
      item.name = fmt::format("{} rows of {}, {}/{} x {}", c.rows, c.length, c.heads, c.kv_heads,
                              c.head_dim);
      item.isa = isa;
      item.flops = 4 * seen * static_cast<double>(row_floats);
      item.bytes = static_cast<double>(count * layout->bytes);
      item.run = [cache, query, out, pages, rows, layout, shape, &table, &parallel] {
        kernels::Attention(table, parallel, shape, rows->data(), std::ssize(*rows));
      };
      cases->push_back(item);
    }
  }
}

}  // namespace ferry::bench

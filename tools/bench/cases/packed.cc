// Cases of low-bit weights: one row and many, beside float32 and int8 of kernels/linear.
#include "device-runtime/kernels/packed/packed.h"

#include <fmt/format.h>

#include <cstring>

#include "device-runtime/kernels/linear/linear.h"
#include "tools/bench/bench.h"
#include "tools/bench/data.h"

namespace ferry::bench {
namespace {

using kernels::ActivationScale;
using kernels::KernelTable;
using kernels::PackedForm;
using kernels::PackedMatrix;
using kernels::PackedScale;
using kernels::PackedShift;

struct PackedShape {
  int64_t rows, columns;
};
constexpr PackedShape kPackedShapes[] = {{4864, 896}, {896, 4864}};
constexpr int64_t kPackedRows[] = {1, 8, 32, 128, 512};

struct PackedName {
  const char* name;
  PackedForm form;
  ActivationScale scale;
};
constexpr PackedName kPackedForms[] = {
    {"8 bit g32", {8, 32, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kGroup},
    {"8 bit row", {8, 0, PackedScale::kF32, PackedShift::kNone}, ActivationScale::kRow},
    {"4 bit g32", {4, 32, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kGroup},
    {"4 bit g32 x row", {4, 32, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kRow},
    {"4 bit g32 zero", {4, 32, PackedScale::kF16, PackedShift::kZero}, ActivationScale::kGroup},
    {"4 bit g64", {4, 64, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kGroup},
    {"4 bit g128", {4, 128, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kGroup},
    {"3 bit g32", {3, 32, PackedScale::kF16, PackedShift::kNone}, ActivationScale::kGroup},
    {"2 bit g32 zero", {2, 32, PackedScale::kF16, PackedShift::kZero}, ActivationScale::kGroup},
};

// A model's worth of weights, more than caches hold: runs walk through it matrix by matrix.
constexpr int64_t kPackedModelBytes = int64_t{96} << 20;

// Any bytes are weights; numbers of half precision near 1 in all of them keep sums finite.
Floats ModelBytes() {
  const Floats data = RandomFloats(static_cast<size_t>(kPackedModelBytes) / sizeof(float));
  auto* words = reinterpret_cast<uint32_t*>(data.get());
  for (size_t i = 0; i < static_cast<size_t>(kPackedModelBytes) / sizeof(float); ++i) {
    words[i] = (words[i] * 2654435761u & 0x87ff87ffu) | 0x38003800u;
  }
  return data;
}

Case PackedWith(const KernelTable& table, sys::Parallel& parallel, const PackedName& kind,
                const Floats& weights, const PackedShape& shape, int64_t m) {
  const Floats x = RandomFloats(static_cast<size_t>(m * shape.columns));
  const Floats out = RandomFloats(static_cast<size_t>(m * shape.rows));
  const int64_t row_bytes = kernels::QuantizedRowBytes(kind.form.group, shape.columns);
  const Floats rows = RandomFloats(static_cast<size_t>(m * row_bytes) / sizeof(float));
  const int64_t bytes = kernels::PackedBytes(kind.form, shape.rows, shape.columns);
  const int64_t matrices = kPackedModelBytes / bytes;
  const auto next = std::make_shared<int64_t>(0);
  Case item;
  item.group = "packed";
  item.name = fmt::format("{}x{}x{} {}", m, shape.rows, shape.columns, kind.name);
  item.isa = kernels::IsaName(table.isa);
  item.flops = 2.0 * static_cast<double>(m * shape.rows) * static_cast<double>(shape.columns);
  item.bytes = static_cast<double>(bytes);
  item.run = [=, &table, &parallel] {
    PackedMatrix w;
    w.form = kind.form;
    w.rows = shape.rows;
    w.columns = shape.columns;
    w.data = reinterpret_cast<const char*>(weights.get()) + *next * bytes;
    *next = (*next + 1) % matrices;
    const kernels::QuantizedRows q =
        kernels::QuantizeRows(table, parallel, x.get(), shape.columns, m, shape.columns,
                              kind.form.group, kind.scale, rows.get());
    kernels::PackedLinear(table, parallel, w, q, m, nullptr, out.get(), shape.rows);
  };
  return item;
}

// The same shape by kernels/linear.
Case LinearBeside(const KernelTable& table, sys::Parallel& parallel, kernels::WeightType type,
                  const Floats& weights, const PackedShape& shape, int64_t m) {
  const Floats x = RandomFloats(static_cast<size_t>(m * shape.columns));
  const Floats out = RandomFloats(static_cast<size_t>(m * shape.rows));
  const Floats scales = RandomFloats(static_cast<size_t>(shape.rows));
  const int64_t bytes = shape.rows * shape.columns * kernels::WeightBytes(type);
  const int64_t matrices = kPackedModelBytes / bytes;
  const auto next = std::make_shared<int64_t>(0);
  Case item;
  item.group = "packed";
  item.name = fmt::format("{}x{}x{} linear {}", m, shape.rows, shape.columns,
                          type == kernels::WeightType::kI8 ? "i8" : "f32");
  item.isa = kernels::IsaName(table.isa);
  item.flops = 2.0 * static_cast<double>(m * shape.rows) * static_cast<double>(shape.columns);
  item.bytes = static_cast<double>(bytes);
  item.run = [=, &table, &parallel] {
    kernels::WeightMatrix w;
    w.type = type;
    w.rows = shape.rows;
    w.columns = shape.columns;
    w.data = reinterpret_cast<const char*>(weights.get()) + *next * bytes;
    w.scales = scales.get();
    *next = (*next + 1) % matrices;
    kernels::Linear(table, parallel, w, x.get(), shape.columns, m, nullptr, out.get(), shape.rows);
  };
  return item;
}

// What memory gives: a sum over the same bytes.
Case ReadOf(sys::Parallel& parallel, const Floats& weights) {
  constexpr int64_t kPart = int64_t{4} << 20;
  const auto next = std::make_shared<int64_t>(0);
  Case item;
  item.group = "packed";
  item.name = "1 read of memory";
  item.isa = "any";
  item.bytes = kPart;
  item.run = [=, &parallel] {
    const char* from = reinterpret_cast<const char*>(weights.get()) + *next * kPart;
    *next = (*next + 1) % (kPackedModelBytes / kPart);
    parallel.For(kPart / 4096, 1, [&](int64_t begin, int64_t end) {
      uint64_t sums[8] = {};
      for (int64_t i = begin * 4096; i < end * 4096; i += 64) {
        uint64_t words[8];
        std::memcpy(words, from + i, sizeof words);
        for (int j = 0; j < 8; ++j) sums[j] += words[j];
      }
      uint64_t all = 0;
      for (const uint64_t sum : sums) all += sum;
      volatile uint64_t keep = all;
      (void)keep;
    });
  };
  return item;
}

}  // namespace

void AddPacked(const std::vector<std::string>& isas, sys::Parallel& parallel,
               std::vector<Case>* cases) {
  const Floats weights = ModelBytes();
  cases->push_back(ReadOf(parallel, weights));
  for (const std::string& isa : isas) {
    const KernelTable& table = kernels::TableOf(kernels::IsaFromName(isa.c_str()).value());
    if (table.isa == kernels::Isa::kReference) continue;  // takes minutes
    for (const PackedShape& shape : kPackedShapes) {
      for (int64_t m : kPackedRows) {
        for (const PackedName& kind : kPackedForms) {
          cases->push_back(PackedWith(table, parallel, kind, weights, shape, m));
        }
        for (kernels::WeightType type : {kernels::WeightType::kF32, kernels::WeightType::kI8}) {
          cases->push_back(LinearBeside(table, parallel, type, weights, shape, m));
        }
      }
    }
  }
}

}  // namespace ferry::bench

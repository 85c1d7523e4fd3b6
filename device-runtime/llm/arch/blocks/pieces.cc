#include "device-runtime/llm/arch/blocks/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "device-runtime/kernels/elementwise/activate.h"
#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/rowwise/kernels.h"
#include "device-runtime/kernels/rowwise/rowwise.h"
#include "device-runtime/llm/arch/blocks/adapted.h"

namespace ferry::llm {
namespace {

// In place; the sums of the tanh form are as in Hendrycks and Gimpel 2016.
void ActivateRow(const kernels::KernelTable& table, ActivationKind activation, int64_t count,
                 float* x) {
  switch (activation) {
    case ActivationKind::kSilu:
      return kernels::Activate(table, {.activation = kernels::Activation::kSilu}, count, x);
    case ActivationKind::kGelu:
      return kernels::Activate(table, {.activation = kernels::Activation::kGelu}, count, x);
    case ActivationKind::kGeluTanh: {
      constexpr float kRoot = 0.79788456080286535588f;  // sqrt(2 / pi)
      // x * (1 + tanh(u)) / 2 = x * sigmoid(2 u)
      for (int64_t i = 0; i < count; ++i) {
        x[i] *= Sigmoid(2 * kRoot * (x[i] + 0.044715f * x[i] * x[i] * x[i]));
      }
      return;
    }
    case ActivationKind::kQuickGelu:
      for (int64_t i = 0; i < count; ++i) x[i] *= Sigmoid(1.702f * x[i]);
      return;
    case ActivationKind::kRelu:
      for (int64_t i = 0; i < count; ++i) x[i] = std::max(x[i], 0.0f);
      return;
    case ActivationKind::kReluSquared:
      for (int64_t i = 0; i < count; ++i) x[i] = x[i] > 0 ? x[i] * x[i] : 0.0f;
      return;
  }
}

}  // namespace

void NormWeights::Row(const kernels::KernelTable& table, const float* x, int64_t width,
                      float* out) const {
  if (kind == NormKind::kRms) {
    kernels::RmsNorm(table, x, weight, eps, width, out);
  } else {
    table.rowwise->norm(x, weight, bias, eps, true, width, out);
  }
}

void NormWeights::Run(const Rows& rows, const float* x, int64_t width, float* out) const {
  kernels::ForPieces(rows.pass.parallel, rows.count, width / 4, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Row(rows.table, x + row * width, width, out + row * width);
    }
  });
}

NormWeights FindNorm(const BlockParts& parts, std::string_view name) {
  const Description& d = parts.description;
  NormWeights norm{.kind = d.norm, .eps = static_cast<float>(d.norm_eps)};
  if (name.empty()) return norm;
  norm.weight = parts.Vector(name);
  norm.bias = parts.Bias(name, d.norm == NormKind::kLayer && d.norm_bias);
  return norm;
}

const kernels::QuantizedRows& Input::Quantized(int group) {
  if (quantized_.data == nullptr || quantized_.group != group) {
    quantized_ = kernels::QuantizeRows(rows_.table, rows_.pass.parallel, x_, stride_, rows_.count,
                                       columns_, group, kernels::ActivationScale::kGroup,
                                       rows_.pass.workspace.quantized);
  }
  return quantized_;
}

int64_t Product::quantized_bytes() const {
  if (exact || !weights.is_packed()) return 0;
  return kernels::QuantizedRowBytes(weights.packed.form.group, weights.columns());
}

void Product::Run(const Rows& rows, Input& x, const float* add, float* out,
                  int64_t out_stride) const {
  const int64_t stride = out_stride == 0 ? width() : out_stride;
  Show(rows, x);
  if (!weights.is_packed()) {
    kernels::Linear(rows.table, rows.pass.parallel, weights.plain, x.x(), x.stride(), rows.count,
                    add, out, stride);
  } else if (exact) {
    kernels::PackedLinearExact(rows.table, rows.pass.parallel, weights.packed, x.x(), x.stride(),
                               rows.count, add, out, stride);
  } else {
    kernels::PackedLinear(rows.table, rows.pass.parallel, weights.packed,
                          x.Quantized(weights.packed.form.group), rows.count, add, out, stride);
  }
  Finish(rows, x, out, stride);
}

void Product::Show(const Rows& rows, const Input& x) const {
  ProductObserver* const observer = rows.pass.workspace.observer;
  if (observer != nullptr) observer->See(weights, x.x(), x.stride(), rows.count);
}

void Product::Finish(const Rows& rows, const Input& x, float* out, int64_t stride) const {
  if (bias != nullptr) {
    for (int64_t row = 0; row < rows.count; ++row) {
      float* to = out + row * stride;
      for (int64_t i = 0; i < width(); ++i) to[i] += bias[i];
    }
  }
  if (rows.adapted) {
    AddAdapters(rows, {weights.tensor, 0, width()}, x.x(), x.stride(), out, stride);
  }
}

void Product::Run(const Rows& rows, const float* x, const float* add, float* out,
                  int64_t out_stride, int64_t x_stride) const {
  Input input(rows, x, weights.columns(), x_stride);
  Run(rows, input, add, out, out_stride);
}

namespace {

constexpr size_t kMostTogether = 4;

bool TakesCodes(const Product& product) {
  return product.weights.is_packed() && !product.exact;
}

struct GatingContext {
  const kernels::KernelTable& table;
  ActivationKind activation;
};

void Gate(const kernels::KernelTable& table, ActivationKind activation, int64_t count,
          const float* up, float* gate) {
  if (activation == ActivationKind::kSilu) {
    return kernels::SiluTimes(table, gate, up, count, gate);
  }
  ActivateRow(table, activation, count, gate);
  for (int64_t i = 0; i < count; ++i) gate[i] *= up[i];
}

}  // namespace

void RunTogether(const Rows& rows, Input& x, std::initializer_list<const Product*> products,
                 std::initializer_list<float*> outs) {
  const Product& first = **products.begin();
  const bool together = products.size() <= kMostTogether &&
                        std::all_of(products.begin(), products.end(), [&](const Product* product) {
                          return TakesCodes(*product) && product->weights.packed.form.group ==
                                                             first.weights.packed.form.group;
                        });
  std::array<kernels::PackedProduct, kMostTogether> packed;
  size_t count = 0;
  for (const Product* product : products) {
    float* const out = outs.begin()[count];
    if (!together) {
      product->Run(rows, x, nullptr, out);
    } else {
      product->Show(rows, x);
      packed[count] = {&product->weights.packed, nullptr, out, product->width()};
    }
    ++count;
  }
  if (!together) return;
  kernels::PackedLinears(rows.table, rows.pass.parallel, std::span(packed).first(count),
                         x.Quantized(first.weights.packed.form.group), rows.count);
  for (size_t i = 0; i < count; ++i) {
    const Product& product = *products.begin()[i];
    product.Finish(rows, x, outs.begin()[i], product.width());
  }
}

void RunGated(const Rows& rows, ActivationKind activation, const Product& gate, const Product& up,
              const float* in, float* out, float* room) {
  const int64_t width = gate.width();
  Input input(rows, in, gate.weights.columns());
  // Biases and adapters are added before the activation.
  const bool bent = gate.bias != nullptr || up.bias != nullptr || rows.adapted;
  if (bent || !TakesCodes(gate) || !TakesCodes(up) ||
      gate.weights.packed.form != up.weights.packed.form) {
    RunTogether(rows, input, {&gate, &up}, {out, room});
    return GateRows(rows, activation, {out, room, out, width, width, width, width});
  }
  gate.Show(rows, input);
  up.Show(rows, input);
  const GatingContext context{rows.table, activation};
  const kernels::Gating gating{[](const void* of, int64_t count, const float* ups, float* gates) {
                                 const auto& c = *static_cast<const GatingContext*>(of);
                                 Gate(c.table, c.activation, count, ups, gates);
                               },
                               &context};
  kernels::PackedGated(rows.table, rows.pass.parallel, gate.weights.packed, up.weights.packed,
                       input.Quantized(gate.weights.packed.form.group), rows.count, gating, out,
                       width);
}

Product FindProduct(const BlockParts& parts, std::string_view name, bool bias) {
  return {parts.Matrix(name), parts.Bias(name, bias), parts.exact};
}

int64_t MostQuantizedBytes(std::initializer_list<const Product*> products) {
  int64_t most = 0;
  for (const Product* product : products) {
    if (product->weights.present()) most = std::max(most, product->quantized_bytes());
  }
  return most;
}

void ActivateRows(const Rows& rows, ActivationKind activation, int64_t width, int64_t stride,
                  float* x) {
  kernels::ForPieces(rows.pass.parallel, rows.count, width * 2, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      ActivateRow(rows.table, activation, width, x + row * stride);
    }
  });
}

void GateRows(const Rows& rows, ActivationKind activation, const GatedRows& g) {
  kernels::ForPieces(rows.pass.parallel, rows.count, g.width * 2, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* gate = g.gate + row * g.gate_stride;
      const float* up = g.up + row * g.up_stride;
      float* out = g.out + row * g.out_stride;
      if (activation == ActivationKind::kSilu) {
        kernels::SiluTimes(rows.table, gate, up, g.width, out);
        continue;
      }
      // `up` is not `out` here: blocks write over their gates.
      if (out != gate) std::copy_n(gate, g.width, out);
      ActivateRow(rows.table, activation, g.width, out);
      for (int64_t i = 0; i < g.width; ++i) out[i] *= up[i];
    }
  });
}

void SpreadBack(const Rows& rows, float* results, int64_t width) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t block = rows.pass.workspace.rows[row].layout->spread;
    if (block > 0) kernels::Spread(block, width, results + row * width);
  }
}

float Sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

void Turn(const kernels::KernelTable& table, RotaryForm form, const float* cosines,
          const float* sines, int64_t dims, float* head) {
  if (form == RotaryForm::kInterleaved) {
    float apart[kMaxHeadDim];
    for (int64_t i = 0; i < dims / 2; ++i) {
      apart[i] = head[2 * i];
      apart[dims / 2 + i] = head[2 * i + 1];
    }
    std::copy_n(apart, dims, head);
  }
  kernels::RotateHalves(table, cosines, sines, dims, head);
}

}  // namespace ferry::llm

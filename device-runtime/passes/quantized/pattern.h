// Reading quantized graphs: the numbers behind QuantizeLinear and DequantizeLinear, and who makes
// and reads a value.
#pragma once

#include <optional>

#include "device-runtime/ir/graph.h"

namespace ferry::passes {

// How a whole tensor of u8 or i8 is quantized.
struct Quantization {
  float scale = 1;
  int32_t zero = 0;
  ir::DType dtype = ir::DType::kU8;
  bool operator==(const Quantization&) const = default;
  int32_t lowest() const { return dtype == ir::DType::kI8 ? -128 : 0; }
  int32_t highest() const { return dtype == ir::DType::kI8 ? 127 : 255; }
};

// Of a QuantizeLinear or DequantizeLinear from or to f32 with one constant, finite scale > 0 and
// one constant zero point; else nullopt.
std::optional<Quantization> QuantizationOf(const ir::Graph& graph, const ir::Node& node);

class Links {
 public:
  explicit Links(const ir::Graph& graph)
      : graph_(graph), producers_(graph.Producers()), uses_(graph.UseCounts()) {}
  // The node that makes a value, or -1. Values added since are not known.
  int Maker(ir::ValueId id) const { return IsKnown(id) ? producers_[Index(id)] : -1; }
  bool IsReadOnce(ir::ValueId id) const { return IsKnown(id) && uses_[Index(id)] == 1; }

  // The quantized tensor behind a value that a DequantizeLinear of a tensor of the run makes.
  struct Source {
    ir::ValueId id;
    Quantization quantization;
  };
  std::optional<Source> Dequantized(ir::ValueId id) const;

 private:
  static size_t Index(ir::ValueId id) { return static_cast<size_t>(id); }
  bool IsKnown(ir::ValueId id) const { return id >= 0 && Index(id) < producers_.size(); }

  const ir::Graph& graph_;
  std::vector<int> producers_;
  std::vector<int> uses_;
};

// A name for the next value. Ids change between passes: each takes a stem of its own.
std::string NewName(const ir::Graph& graph, char stem);
// A new value of a type, a new constant.
ir::ValueId AddTyped(ir::Graph& graph, char stem, ir::DType dtype, const ir::Shape& shape);
ir::ValueId AddConstant(ir::Graph& graph, char stem, ir::Tensor tensor);

}  // namespace ferry::passes

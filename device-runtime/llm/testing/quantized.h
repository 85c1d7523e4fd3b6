// Tensors in the stored forms of quantised checkpoints, written by their definitions, with the
// values that they mean. For tests and fuzz seeds only.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/base/json_fwd.h"
#include "device-runtime/llm/testing/tiny_model.h"

namespace ferry::llm::testing {

// value(r, k) = scale(r, g) * (code(r, k) - zero(r, g)), g = group_of[k].
struct CodedValues {
  int64_t rows = 0, columns = 0;
  int bits = 4;
  int64_t group = 0;          // columns
  std::vector<int> codes;     // [rows][columns], 0 to 2^bits - 1
  std::vector<int> zeros;     // [rows][groups]
  std::vector<float> scales;  // [rows][groups]; half precision
  std::vector<int> group_of;  // [columns]

  int64_t groups() const { return (columns + group - 1) / group; }
  float Value(int64_t row, int64_t column) const;
  std::vector<float> Values() const;  // [rows][columns]
};

struct CodedOptions {
  int bits = 4;
  int64_t group = 32;  // -1: the row
  bool symmetric = false;
  bool mixed_columns = false;  // groups are not runs of columns
};
CodedValues RandomCoded(std::mt19937& random, int64_t rows, int64_t columns,
                        const CodedOptions& options);

// `name` is the weight's: "model.layers.0.mlp.up_proj.weight".
void AddGptq(const std::string& name, const CodedValues& values, bool zeros_less_one,
             std::vector<TinyTensor>* to);
void AddAwq(const std::string& name, const CodedValues& values, std::vector<TinyTensor>* to);
// Without zero points when they are all the middle.
void AddPackQuantized(const std::string& name, const CodedValues& values,
                      std::vector<TinyTensor>* to);
void AddIntQuantized(const std::string& name, const CodedValues& values,
                     std::vector<TinyTensor>* to);

// A tensor of any type.
template <typename T>
TinyTensor RawTensorOf(const std::string& name, std::vector<int64_t> shape, const char* dtype,
                       const std::vector<T>& numbers) {
  TinyTensor tensor{name, std::move(shape), dtype, Bytes(numbers.size() * sizeof(T))};
  std::memcpy(tensor.bytes.data(), numbers.data(), tensor.bytes.size());
  return tensor;
}

}  // namespace ferry::llm::testing

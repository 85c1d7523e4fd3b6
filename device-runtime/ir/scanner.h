// Reads the pieces of one line of graph text. Used by parse.cc only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device-runtime/ir/graph.h"

namespace ferry::ir {

// Each method skips spaces first. A failed read returns kBadModel naming the column; the caller
// adds the line.
class LineScanner {
 public:
  explicit LineScanner(std::string_view line) : line_(line) {}

  bool AtEnd();
  // Whether `text` comes next; consumed if so.
  bool Accept(std::string_view text);
  bool NextIs(char c);  // not consumed
  Status Expect(std::string_view text);
  Result<std::string> Name();    // plain or quoted
  Result<std::string> Quoted();  // "..."
  Result<int64_t> Integer();
  Result<uint64_t> Unsigned();
  Result<double> Float();
  // The bare word before the next space (or punctuation).
  Result<std::string> Word();
  Result<std::vector<int64_t>> Integers();  // [1,2]
  Result<std::vector<float>> Floats();
  Result<std::vector<Dim>> Dims();  // [n,1,?]
  Result<DType> Type();
  // "f32 [2] = 1 2", up to the end or `}`.
  Result<Tensor> TensorText();
  // The elements after "=".
  Result<Tensor> Elements(DType dtype, const Shape& shape);
  Status Error(std::string_view what) const;

 private:
  void SkipSpaces();
  std::string_view line_;
  size_t at_ = 0;
};

// The fixed shape of dims, or kBadModel.
Result<Shape> FixedShapeOf(const std::vector<Dim>& dims);

}  // namespace ferry::ir

// The text form of graphs: for people, tests and the model file. Line by line:
//
//   graph digits
//   input image f32 [n,1,8,8]                     free dimensions by name, or ? without one
//   input items seq(f32)                          also optional(f32), optional(seq(f32)); ? for
//                                                 a dtype that nobody knows
//   const w f32 [2] = 1 2                         elements in order; or "at <offset>" in a model
//                                                 file (texts are always there: = "a" "b")
//   node Conv@11 conv1 (image, w, -) -> (y) group=i1 strides=I[1,1] mode=s"x" alpha=f0.5
//        (one line) name@opset, or no @ for the newest; F[...] S[...] t{f32 [1] = 2}
//   node If if1 (c, x) -> (z) captured 1 else_branch=g then_branch=g
//   {                                             its bodies, each between braces, in order of
//   graph else captured 1                         their keys; "captured": how many of the inputs
//   ...                                           the bodies read beside their own, at the end
//   }
//   output y                                      or with a type, when the model declares one
//
// Names outside [A-Za-z0-9_./:-] are quoted as JSON strings are; "-" is a left-out value; "#"
// starts a comment line.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device-runtime/ir/graph.h"

namespace ferry::ir {

struct PrintOptions {
  // Constants of more elements are printed as "..." (the text is then for people only).
  int64_t max_elements = 1 << 30;
  // When set, gives the offset to print for a constant instead of its elements.
  std::function<int64_t(const Tensor&)> place;
};
std::string Print(const Graph& graph, const PrintOptions& options = {});

struct ParseOptions {
  // Makes the tensor of a constant written with "at <offset>"; without it such lines are errors.
  std::function<Result<Tensor>(DType, const Shape&, uint64_t offset)> load;
};
// Reads what Print wrote. kBadModel names the line. The graph is not verified.
Result<Graph> Parse(std::string_view text, const ParseOptions& options = {});

// "f32 [2,2] = 1 2 3 4": one tensor, as in a const line.
Result<Tensor> ParseTensor(std::string_view text);
std::string PrintTensor(const Tensor& tensor);

}  // namespace ferry::ir

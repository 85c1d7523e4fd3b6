// RegexFullMatch (ONNX): whether all of each text fits attribute `pattern` (RE2's syntax).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/text/full_match.h"

namespace ferry::ops {
namespace {

Status InferRegexFullMatch(InferContext& c) {
  if (c.Input(0).dtype != DType::kString) {
    return Status(Code::kShapeMismatch, "the input must be string");
  }
  c.SetOutput(0, DType::kBool, c.InputShape(0));
  return OkStatus();
}

Status ReferenceRegexFullMatch(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, c.Text("pattern", ""));
  FERRY_ASSIGN_OR_RETURN(auto pattern, FullMatch::Compile(text));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    FERRY_ASSIGN_OR_RETURN(bool fits, pattern->Fits(c.In(0).Text(i)));
    c.Out(0).SetInteger(i, fits ? 1 : 0);
  }
  return OkStatus();
}

}  // namespace

extern const Op kRegexFullMatchOp;
const Op kRegexFullMatchOp = {.name = "RegexFullMatch",
                              .min_inputs = 1,
                              .max_inputs = 1,
                              .min_outputs = 1,
                              .max_outputs = 1,
                              .infer = InferRegexFullMatch,
                              .reference = ReferenceRegexFullMatch};

}  // namespace ferry::ops

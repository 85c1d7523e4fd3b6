// StringSplit (ONNX): the pieces of each text along a new last axis, and how many they are.
// Without delimiter: pieces between runs of (ASCII) white space.
#include <algorithm>

#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";

std::vector<std::string_view> Words(std::string_view text, int64_t most_cuts) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = text.find_first_not_of(kSpaces);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const size_t end = static_cast<int64_t>(words.size()) < most_cuts
                           ? std::min(text.find_first_of(kSpaces), text.size())
                           : text.size();
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<std::string_view> Pieces(std::string_view text, std::string_view delimiter,
                                     int64_t most_cuts) {
  if (delimiter.empty()) return Words(text, most_cuts);
  std::vector<std::string_view> pieces;
  while (static_cast<int64_t>(pieces.size()) < most_cuts) {
    const size_t end = text.find(delimiter);
    if (end == std::string_view::npos) break;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + delimiter.size());
  }
  pieces.push_back(text);
  return pieces;
}

Status EvaluateStringSplit(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(const std::string delimiter, c.Text("delimiter", ""));
  FERRY_ASSIGN_OR_RETURN(int64_t most_cuts, c.Int("maxsplit", -1));
  if (most_cuts < 0) most_cuts = kMaxAttribute;
  if (x.dtype() != DType::kString) {
    return Status::Of(Code::kShapeMismatch, "{} is no text", x.TypeText());
  }
  FERRY_ASSIGN_OR_RETURN(Tensor counts, c.Allocate(DType::kI64, x.shape()));
  int64_t most = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    const auto count = static_cast<int64_t>(Pieces(x.Text(i), delimiter, most_cuts).size());
    counts.SetInteger(i, count);
    most = std::max(most, count);
  }
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  dims.push_back(most);
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor out, c.Allocate(DType::kString, shape));
  auto texts = std::make_shared<tensor::StringPool>();
  for (int64_t i = 0; i < x.elements(); ++i) {
    int64_t at = i * most;
    for (std::string_view piece : Pieces(x.Text(i), delimiter, most_cuts)) {
      out.SetText(at++, texts->Add(piece));
    }
  }
  out.KeepStrings(std::move(texts));
  c.SetOutput(0, std::move(out));
  c.SetOutput(1, std::move(counts));
  return OkStatus();
}

}  // namespace

extern const Op kStringSplitOp;
const Op kStringSplitOp = {.name = "StringSplit",
                           .min_inputs = 1,
                           .max_inputs = 1,
                           .min_outputs = 1,
                           .max_outputs = 2,
                           .evaluate = EvaluateStringSplit};

}  // namespace ferry::ops

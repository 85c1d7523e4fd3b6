// StringNormalizer (ONNX): drops stop words and changes case, by Unicode's rules without those of a
// language ("locale" is not read). Nothing left: one empty text.
#include <unordered_set>

#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/text/letter_case.h"

namespace ferry::ops {
namespace {

struct Rules {
  std::string change;  // NONE, LOWER, UPPER
  bool is_case_sensitive = false;
  std::unordered_set<std::string> stop_words;  // lower case when case does not count
};

// What stands for `text` among the stop words.
Result<std::string> Compared(const Rules& rules, const std::string& text) {
  if (rules.is_case_sensitive) return text;
  return ChangeCase(text, LetterCase::kLower);
}

Result<Rules> RulesOf(const EvaluateContext& c) {
  Rules rules;
  FERRY_ASSIGN_OR_RETURN(rules.change, c.Text("case_change_action", "NONE"));
  FERRY_ASSIGN_OR_RETURN(int64_t sensitive, c.Int("is_case_sensitive", 0));
  rules.is_case_sensitive = sensitive != 0;
  if (rules.change != "NONE" && rules.change != "LOWER" && rules.change != "UPPER") {
    return Status::Of(Code::kBadModel, "case_change_action is '{}'", rules.change);
  }
  FERRY_ASSIGN_OR_RETURN(auto words, c.Texts("stopwords"));
  for (const std::string& word : words) {
    FERRY_ASSIGN_OR_RETURN(std::string compared, Compared(rules, word));
    rules.stop_words.insert(std::move(compared));
  }
  return rules;
}

Status EvaluateStringNormalizer(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(const Rules rules, RulesOf(c));
  const int rank = x.shape().rank();
  if (x.dtype() != DType::kString || rank < 1 || rank > 2 || (rank == 2 && x.shape()[0] != 1)) {
    return Status::Of(Code::kShapeMismatch, "{} is neither string [n] nor [1,n]", x.TypeText());
  }
  std::vector<std::string> kept;
  for (int64_t i = 0; i < x.elements(); ++i) {
    std::string text(x.Text(i));
    FERRY_ASSIGN_OR_RETURN(const std::string word, Compared(rules, text));
    if (rules.stop_words.contains(word)) continue;
    if (rules.change != "NONE") {
      const LetterCase to = rules.change == "LOWER" ? LetterCase::kLower : LetterCase::kUpper;
      FERRY_ASSIGN_OR_RETURN(text, ChangeCase(text, to));
    }
    kept.push_back(std::move(text));
  }
  if (kept.empty()) kept.emplace_back();
  const auto count = static_cast<int64_t>(kept.size());
  const Shape shape = rank == 1 ? Shape({count}) : Shape({1, count});
  FERRY_ASSIGN_OR_RETURN(Tensor out, Tensor::Strings(shape, kept, c.budget()));
  c.SetOutput(0, std::move(out));
  return OkStatus();
}

}  // namespace

extern const Op kStringNormalizerOp;
const Op kStringNormalizerOp = {.name = "StringNormalizer",
                                .min_inputs = 1,
                                .max_inputs = 1,
                                .min_outputs = 1,
                                .max_outputs = 1,
                                .evaluate = EvaluateStringNormalizer};

}  // namespace ferry::ops

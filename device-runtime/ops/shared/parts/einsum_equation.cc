#include "device-runtime/ops/shared/parts/einsum_equation.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ferry::ops {
namespace {

constexpr size_t kMaxEquation = 4096;

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The labels of one term whose ellipsis stands for `dots` axes (-1: it must have none).
Result<Labels> ParseTerm(std::string_view term, int dots) {
  Labels labels;
  bool seen = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (IsLetter(term[i])) {
      labels.push_back(term[i]);
      continue;
    }
    if (seen || dots < 0 || term.substr(i, 3) != "...") {
      return Status::Of(Code::kBadModel, "equation term '{}' at {}", term, i);
    }
    seen = true;
    i += 2;
    for (int k = dots - 1; k >= 0; --k) labels.push_back(static_cast<char>(k));
  }
  return labels;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> terms;
  for (size_t comma; (comma = text.find(',')) != text.npos; text.remove_prefix(comma + 1)) {
    terms.push_back(text.substr(0, comma));
  }
  terms.push_back(text);
  return terms;
}

// Adds an operand of `shape` to the equation.
Status AddOperand(EinsumEquation& e, std::string_view term, const Shape& shape) {
  const bool has_dots = term.find('.') != term.npos;
  const auto letters = static_cast<int>(std::ranges::count_if(term, IsLetter));
  const int dots = has_dots ? shape.rank() - letters : -1;
  if (has_dots ? dots < 0 : letters != shape.rank()) {
    return Status::Of(Code::kShapeMismatch, "equation term '{}' for {}", term, shape.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(Labels labels, ParseTerm(term, dots));
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t extent = shape[static_cast<int>(i)];
    int64_t& known = e.extents.try_emplace(labels[i], extent).first->second;
    if (known == 1) known = extent;
    if (extent != known && extent != 1) {
      return Status::Of(Code::kShapeMismatch, "a label of '{}' is {} and {}", term, known, extent);
    }
  }
  e.operands.push_back(std::move(labels));
  return OkStatus();
}

// Axes of ellipses first, then the letters that stand once, sorted.
Labels ImplicitOutput(const EinsumEquation& e) {
  std::map<char, int> uses;
  for (const Labels& labels : e.operands) {
    for (char label : labels) ++uses[label];
  }
  Labels dots, letters;
  for (const auto& [label, count] : uses) {
    if (!IsLetter(label)) dots.insert(dots.begin(), label);
    if (IsLetter(label) && count == 1) letters.push_back(label);
  }
  dots.insert(dots.end(), letters.begin(), letters.end());
  return dots;
}

}  // namespace

Result<EinsumEquation> ParseEinsum(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(std::string text, c.Text("equation", ""));
  if (text.size() > kMaxEquation) return Status(Code::kLimitExceeded, "a long equation");
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::vector<std::string_view> terms = Split(std::string_view(text).substr(0, arrow));
  if (static_cast<int>(terms.size()) != c.input_count()) {
    return Status::Of(Code::kBadModel, "equation '{}' for {} inputs", text, c.input_count());
  }
  EinsumEquation e;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!c.HasInput(static_cast<int>(i))) return Status::Of(Code::kBadModel, "no input {}", i);
    FERRY_TRY(AddOperand(e, terms[i], c.InputShape(static_cast<int>(i))));
  }
  if (arrow == text.npos) {
    e.output = ImplicitOutput(e);
    return e;
  }
  int dots = 0;
  for (const auto& [label, extent] : e.extents) dots += IsLetter(label) ? 0 : 1;
  FERRY_ASSIGN_OR_RETURN(e.output, ParseTerm(std::string_view(text).substr(arrow + 2), dots));
  for (char label : e.output) {
    if (!e.extents.contains(label) || std::ranges::count(e.output, label) != 1) {
      return Status::Of(Code::kBadModel, "output of equation '{}'", text);
    }
  }
  return e;
}

}  // namespace ferry::ops

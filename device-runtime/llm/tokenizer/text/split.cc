#include "device-runtime/llm/tokenizer/text/split.h"

#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {

Result<Splitter> Splitter::Create(std::vector<SplitStep> steps) {
  if (steps.size() > kMaxSplitSteps) {
    return Status::Of(Code::kLimitExceeded, "{} pre-tokenizers, at most {}", steps.size(),
                      kMaxSplitSteps);
  }
  Splitter splitter;
  for (const SplitStep& step : steps) {
    std::unique_ptr<Expression> expression;
    if (step.kind != SplitStep::kSpaceBefore) {
      if (step.pattern.empty()) return Status(Code::kMalformed, "a split by the empty text");
      FERRY_ASSIGN_OR_RETURN(expression,
                             Expression::Compile(step.pattern, step.kind == SplitStep::kLiteral));
    }
    splitter.expressions_.push_back(std::move(expression));
  }
  splitter.steps_ = std::move(steps);
  return splitter;
}

Status Splitter::Split(std::string_view text, Scratch& scratch, const Emit& emit) const {
  while (scratch.expressions.size() < steps_.size()) scratch.expressions.emplace_back();
  return RunStep(0, text, scratch, emit);
}

Status Splitter::RunStep(size_t index, std::string_view text, Scratch& scratch,
                         const Emit& emit) const {
  if (text.empty()) return OkStatus();
  if (index == steps_.size()) {
    emit(text);
    return OkStatus();
  }
  if (steps_[index].kind != SplitStep::kSpaceBefore) {
    return RunMatches(index, text, scratch, emit);
  }
  if (!text.starts_with(' ')) {
    scratch.texts.push_back(" ");
    text = scratch.texts.back().append(text);
  }
  return RunStep(index + 1, text, scratch, emit);
}

Status Splitter::RunMatches(size_t index, std::string_view text, Scratch& scratch,
                            const Emit& emit) const {
  const SplitStep& step = steps_[index];
  size_t merged_from = text.size();  // of touching matches not yet passed on; text.size(): none
  size_t done = 0;                   // everything before it is cut
  const auto piece = [&](size_t begin, size_t end, bool match) -> Status {
    if (begin == end) return OkStatus();
    if (match != step.invert) {
      if (step.behavior == SplitStep::kRemoved) return OkStatus();
      if (step.behavior == SplitStep::kContiguous) {
        merged_from = std::min(merged_from, begin);
        return OkStatus();
      }
    } else if (merged_from < begin) {
      FERRY_TRY(RunStep(index + 1, text.substr(merged_from, begin - merged_from), scratch, emit));
      merged_from = text.size();
    }
    return RunStep(index + 1, text.substr(begin, end - begin), scratch, emit);
  };
  for (size_t from = 0; from <= text.size();) {
    Expression::Range match;
    const Expression::Found found =
        expressions_[index]->Find(text, from, scratch.expressions[index], scratch.budget, match);
    if (found == Expression::Found::kTooLong) {
      return Status::Of(Code::kLimitExceeded,
                        "the split expression {:?} takes too long or too much memory",
                        step.pattern);
    }
    if (found == Expression::Found::kNone) break;
    FERRY_TRY(piece(done, match.begin, false));
    FERRY_TRY(piece(match.begin, match.end, true));
    done = match.end;
    from = match.end;
    // A match of nothing cuts the text there; the search goes on one character further.
    if (match.begin == match.end) {
      from += from < text.size() ? NextUtf8(text, from).length : 1;
    }
  }
  FERRY_TRY(piece(done, text.size(), false));
  if (merged_from == text.size()) return OkStatus();
  return RunStep(index + 1, text.substr(merged_from), scratch, emit);
}

}  // namespace ferry::llm

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
    if (step.kind == SplitStep::kExpression || step.kind == SplitStep::kLiteral) {
      if (step.pattern.empty()) return Status(Code::kMalformed, "a split by the empty text");
      FERRY_ASSIGN_OR_RETURN(expression,
                             Expression::Compile(step.pattern, step.kind == SplitStep::kLiteral));
    }
    splitter.expressions_.push_back(std::move(expression));
  }
  splitter.steps_ = std::move(steps);
  return splitter;
}

Status Splitter::Split(std::string_view text, bool first, Scratch& scratch,
                       const Emit& emit) const {
  while (scratch.expressions.size() < steps_.size()) scratch.expressions.emplace_back();
  scratch.first = first ? text.data() : nullptr;
  return RunStep(0, text, scratch, emit);
}

Status Splitter::RunStep(size_t index, std::string_view text, Scratch& scratch,
                         const Emit& emit) const {
  if (text.empty()) return OkStatus();
  if (index == steps_.size()) {
    emit(text);
    return OkStatus();
  }
  switch (steps_[index].kind) {
    case SplitStep::kExpression:
    case SplitStep::kLiteral:
      return RunMatches(index, text, scratch, emit);
    case SplitStep::kSpaceMarks:
      return RunMarks(index, text, scratch, emit);
    case SplitStep::kSpaceBefore:
      if (!text.starts_with(' ')) text = scratch.arena.Join(" ", text);
      return RunStep(index + 1, text, scratch, emit);
  }
  return OkStatus();
}

Status Splitter::RunMarks(size_t index, std::string_view text, Scratch& scratch,
                          const Emit& emit) const {
  const SplitStep& step = steps_[index];
  const bool begins = text.starts_with(' ') || text.starts_with(kSpaceMark);
  const bool wanted = step.mark == SplitStep::kAlways ||
                      (step.mark == SplitStep::kFirst && text.data() == scratch.first);
  const std::string_view before = wanted && !begins ? kSpaceMark : std::string_view();
  if (text.find(' ') == std::string_view::npos) {
    if (!before.empty()) text = scratch.arena.Join(before, text);
  } else {
    std::string marked(before);
    marked.reserve(text.size() + text.size() / 2);
    for (size_t done = 0; done < text.size();) {
      const size_t space = std::min(text.find(' ', done), text.size());
      marked.append(text.substr(done, space - done));
      if (space < text.size()) marked.append(kSpaceMark);
      done = space + 1;
    }
    text = scratch.arena.Keep(std::move(marked));
  }
  if (!step.invert) return RunStep(index + 1, text, scratch, emit);
  for (size_t begin = 0; begin < text.size();) {
    const size_t next = std::min(text.find(kSpaceMark, begin + 1), text.size());
    FERRY_TRY(RunStep(index + 1, text.substr(begin, next - begin), scratch, emit));
    begin = next;
  }
  return OkStatus();
}

namespace {

// Puts matches and what is between them together as a step's behavior says.
template <typename Pass>
class PieceJoiner {
 public:
  // `pass(begin, end)` -> Status takes the pieces.
  PieceJoiner(SplitStep::Behavior behavior, Pass pass) : behavior_(behavior), pass_(pass) {}

  Status Add(size_t begin, size_t end, bool match) {
    if (begin == end) return OkStatus();
    switch (behavior_) {
      case SplitStep::kIsolated:
        return pass_(begin, end);
      case SplitStep::kRemoved:
        return match ? OkStatus() : pass_(begin, end);
      case SplitStep::kContiguous:
        if (match) {
          if (!held_) begin_ = begin;
          held_ = true;
          end_ = end;
          return OkStatus();
        }
        FERRY_TRY(Finish());
        return pass_(begin, end);
      case SplitStep::kMergedWithPrevious:
        if (match) {
          const size_t from = held_ ? begin_ : begin;
          held_ = false;
          return pass_(from, end);
        }
        return Hold(begin, end);
      case SplitStep::kMergedWithNext:
        if (match) return Hold(begin, end);
        const size_t from = held_ ? begin_ : begin;
        held_ = false;
        return pass_(from, end);
    }
    return OkStatus();
  }
  Status Finish() {
    if (!held_) return OkStatus();
    held_ = false;
    return pass_(begin_, end_);
  }

 private:
  Status Hold(size_t begin, size_t end) {
    FERRY_TRY(Finish());
    held_ = true;
    begin_ = begin;
    end_ = end;
    return OkStatus();
  }

  SplitStep::Behavior behavior_;
  Pass pass_;
  bool held_ = false;  // [begin_, end_) waits for what comes
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace

Status Splitter::RunMatches(size_t index, std::string_view text, Scratch& scratch,
                            const Emit& emit) const {
  const SplitStep& step = steps_[index];
  size_t done = 0;  // everything before it is cut
  PieceJoiner pieces(step.behavior, [&](size_t begin, size_t end) {
    return RunStep(index + 1, text.substr(begin, end - begin), scratch, emit);
  });
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
    FERRY_TRY(pieces.Add(done, match.begin, step.invert));
    FERRY_TRY(pieces.Add(match.begin, match.end, !step.invert));
    done = match.end;
    from = match.end;
    // A match of nothing cuts the text there; the search goes on one character further.
    if (match.begin == match.end) {
      from += from < text.size() ? NextUtf8(text, from).length : 1;
    }
  }
  FERRY_TRY(pieces.Add(done, text.size(), step.invert));
  return pieces.Finish();
}

}  // namespace ferry::llm

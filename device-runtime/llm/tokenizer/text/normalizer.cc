#include "device-runtime/llm/tokenizer/text/normalizer.h"

#include "device-runtime/llm/tokenizer/text/letters.h"
#include "device-runtime/llm/tokenizer/text/normal_form.h"
#include "device-runtime/llm/tokenizer/text/utf8.h"

namespace ferry::llm {
namespace {

Status CheckNormalStep(const NormalStep& step) {
  if (step.content.size() > kMaxInsertBytes) {
    return Status::Of(Code::kLimitExceeded, "a normalizer puts in {} bytes, at most {}",
                      step.content.size(), kMaxInsertBytes);
  }
  if (ValidUtf8Prefix(step.content) != step.content.size()) {
    return Status(Code::kMalformed, "a normalizer puts in what is no UTF-8");
  }
  const bool replaces = step.kind == NormalStep::kExpression || step.kind == NormalStep::kLiteral;
  if (replaces && step.pattern.empty()) {
    return Status(Code::kMalformed, "a normalizer replaces the empty text");
  }
  if (step.kind == NormalStep::kLiteral && ValidUtf8Prefix(step.pattern) != step.pattern.size()) {
    return Status(Code::kMalformed, "a normalizer replaces what is no UTF-8");
  }
  return OkStatus();
}

bool ReplaceLiteral(std::string_view text, std::string_view pattern, std::string_view content,
                    std::string& out) {
  size_t found = text.find(pattern);
  if (found == std::string_view::npos) return false;
  out.reserve(out.size() + text.size() + text.size() / 2);
  size_t done = 0;
  for (; found != std::string_view::npos; found = text.find(pattern, done)) {
    out.append(text.substr(done, found - done));
    out.append(content);
    done = found + pattern.size();
  }
  out.append(text.substr(done));
  return true;
}

}  // namespace

Result<Normalizer> Normalizer::Create(std::vector<NormalStep> steps) {
  if (steps.size() > kMaxNormalSteps) {
    return Status::Of(Code::kLimitExceeded, "{} normalizers, at most {}", steps.size(),
                      kMaxNormalSteps);
  }
  Normalizer normalizer;
  for (NormalStep& step : steps) {
    FERRY_TRY(CheckNormalStep(step));
    std::unique_ptr<Expression> expression;
    std::unique_ptr<Charsmap> charsmap;
    if (step.kind == NormalStep::kExpression) {
      FERRY_ASSIGN_OR_RETURN(expression, Expression::Compile(step.pattern, false));
    } else if (step.kind == NormalStep::kCharsmap) {
      FERRY_ASSIGN_OR_RETURN(Charsmap map, Charsmap::Create(step.pattern));
      charsmap = std::make_unique<Charsmap>(std::move(map));
    }
    normalizer.expressions_.push_back(std::move(expression));
    normalizer.charsmaps_.push_back(std::move(charsmap));
  }
  normalizer.steps_ = std::move(steps);
  return normalizer;
}

Result<std::string_view> Normalizer::Apply(std::string_view text, bool first, size_t most,
                                           Scratch& scratch, TextArena& arena) const {
  while (scratch.expressions.size() < steps_.size()) scratch.expressions.emplace_back();
  std::string held;
  bool changed = false;
  for (size_t i = 0; i < steps_.size(); ++i) {
    std::string out;
    const std::string_view now = changed ? std::string_view(held) : text;
    FERRY_ASSIGN_OR_RETURN(const bool differs, RunStep(i, now, first, scratch, out));
    if (!differs) continue;
    if (out.size() > most) {
      return Status::Of(Code::kLimitExceeded, "the normalized text has {} bytes, at most {}",
                        out.size(), most);
    }
    held = std::move(out);
    changed = true;
  }
  return changed ? arena.Keep(std::move(held)) : text;
}

Result<bool> Normalizer::RunStep(size_t index, std::string_view text, bool first, Scratch& scratch,
                                 std::string& out) const {
  const NormalStep& step = steps_[index];
  switch (step.kind) {
    case NormalStep::kNfc:
      return AppendNfc(text, out);
    case NormalStep::kNfd:
      return AppendNormalForm(text, false, false, out);
    case NormalStep::kNfkc:
      return AppendNormalForm(text, true, true, out);
    case NormalStep::kNfkd:
      return AppendNormalForm(text, false, true, out);
    case NormalStep::kLower:
      return AppendLower(text, out);
    case NormalStep::kDropMarks:
      return AppendWithoutMarks(text, step.flags == 1, out);
    case NormalStep::kStrip:
      return AppendStripped(text, (step.flags & 1) != 0, (step.flags & 2) != 0, out);
    case NormalStep::kExpression:
      return Replace(index, text, scratch, out);
    case NormalStep::kLiteral:
      return ReplaceLiteral(text, step.pattern, step.content, out);
    case NormalStep::kPrepend:
      if (text.empty() || (step.flags == 1 && !first)) return false;
      out.append(step.content).append(text);
      return true;
    case NormalStep::kClean:
      return AppendClean(text, out);
    case NormalStep::kIdeographs:
      return AppendSpacedIdeographs(text, out);
    case NormalStep::kSqueeze:
      return AppendSqueezed(text, out);
    case NormalStep::kCharsmap:
      return charsmaps_[index]->Append(text, out);
  }
  return false;
}

Result<bool> Normalizer::Replace(size_t index, std::string_view text, Scratch& scratch,
                                 std::string& out) const {
  const NormalStep& step = steps_[index];
  size_t done = 0;
  bool changed = false;
  for (size_t from = 0; from <= text.size();) {
    Expression::Range match;
    const Expression::Found found =
        expressions_[index]->Find(text, from, scratch.expressions[index], scratch.budget, match);
    if (found == Expression::Found::kTooLong) {
      return Status::Of(Code::kLimitExceeded,
                        "the normalizer's expression {:?} takes too long or too much memory",
                        step.pattern);
    }
    if (found == Expression::Found::kNone) break;
    changed = true;
    out.append(text.substr(done, match.begin - done));
    out.append(step.content);
    done = from = match.end;
    if (match.begin == match.end) from += from < text.size() ? NextUtf8(text, from).length : 1;
  }
  if (changed) out.append(text.substr(done));
  return changed;
}

}  // namespace ferry::llm

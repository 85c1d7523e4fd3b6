// A rule made ready for the matcher. Internal to the room.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/expression/expression.h"
#include "pipeline/rule/match/letters.h"
#include "pipeline/rule/rule.h"

namespace ferry::rule {

using StepMask = uint32_t;  // a bit for each step
static_assert(kMaxSteps <= 32);

// An event fulfils it when its letter holds and, with captures, `where` is true for the run.
struct CompiledCondition {
  Letter letter = 0;
  std::optional<expression::Expression> where;
};

struct CompiledStep {
  CompiledCondition fits;
  std::optional<CompiledCondition> until;
  uint32_t least = 1, most = 1;
  bool negated = false, greedy = false;
  Contiguity contiguity = Contiguity::kRelaxed, inner = Contiguity::kRelaxed;
  StepMask next = 0;       // the steps that may have the next position once this one has enough
  StepMask nots = 0;       // `not` steps after this one and before the last of `next`
  bool accepting = false;  // all steps behind are optional or `not`
};

struct CompiledRule {
  Rule rule;
  std::string owner;
  std::string digest;  // 16 bytes of owner and definition
  std::vector<CompiledStep> steps;
  StepMask first = 0;     // steps that may have the first position
  StepMask trailing = 0;  // `not` steps at the end
  size_t skip_to = 0;     // the step that skip names
};

// Adds the rule's conditions to `letters`; the rule has passed CheckRule.
Result<CompiledRule> CompileRule(Rule rule, std::string_view owner, Letters* letters);
void ReleaseRule(const CompiledRule& rule, Letters* letters);
// Whether it has nothing but steps one after another with any events between, without captures or
// loops, and skips past_last. The key, the limit of time and other limits are not looked at.
bool IsPlain(const CompiledRule& rule);
// All letters that the rule asks about, each once.
std::vector<Letter> LettersOf(const CompiledRule& rule);

}  // namespace ferry::rule

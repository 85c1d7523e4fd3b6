#include "pipeline/rule/match/compile.h"

#include <algorithm>

#include "common/base/json.h"

namespace ferry::rule {
namespace {

using expression::Expression;

Result<CompiledCondition> CompileCondition(const Condition& condition,
                                           std::span<const std::string> names, Letters* letters) {
  CompiledCondition out;
  std::optional<Expression> where;
  if (!condition.where.empty()) {
    FERRY_ASSIGN_OR_RETURN(where, Expression::Parse(condition.where, names));
  }
  const bool alone = where && where->captures().empty();
  out.letter = letters->Add(condition.event, condition.page, alone ? &*where : nullptr);
  if (!alone) out.where = std::move(where);
  return out;
}

// The steps that may come after step `k` (-1: at the beginning), and the `not` steps on the way.
void Follow(const std::vector<Step>& steps, int k, StepMask* next, StepMask* nots,
            bool* accepting) {
  for (size_t t = static_cast<size_t>(k + 1); t < steps.size(); ++t) {
    if (steps[t].negated) {
      *nots |= StepMask{1} << t;
      continue;
    }
    *next |= StepMask{1} << t;
    if (!steps[t].optional) return;
  }
  *accepting = true;
}

// FNV-1a of 64 bits, from a start of one's choice.
uint64_t Fnv(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string Digest(const Rule& rule, std::string_view owner) {
  const std::string text = std::string(owner) + '\n' + WriteJson(RuleToJson(rule));
  std::string out;
  for (const uint64_t start : {0xcbf29ce484222325, 0x9ae16a3b2f90404f}) {
    uint64_t hash = Fnv(text, start);
    for (int k = 0; k < 8; ++k, hash >>= 8) out.push_back(static_cast<char>(hash & 255));
  }
  return out;
}

}  // namespace

Result<CompiledRule> CompileRule(Rule rule, std::string_view owner, Letters* letters) {
  CompiledRule out;
  out.owner = owner;
  out.digest = Digest(rule, owner);
  std::vector<std::string> names;
  for (const Step& step : rule.steps) names.push_back(step.name);
  for (size_t k = 0; k < rule.steps.size(); ++k) {
    const Step& step = rule.steps[k];
    CompiledStep made;
    FERRY_ASSIGN_OR_RETURN(made.fits, CompileCondition(step.fits, names, letters));
    if (step.until) {
      FERRY_ASSIGN_OR_RETURN(made.until, CompileCondition(*step.until, names, letters));
    }
    made.least = step.least;
    made.most = step.most;
    made.negated = step.negated;
    made.greedy = step.greedy;
    made.contiguity = step.contiguity;
    made.inner = step.inner;
    Follow(rule.steps, static_cast<int>(k), &made.next, &made.nots, &made.accepting);
    out.steps.push_back(std::move(made));
    if (step.name == rule.skip_to) out.skip_to = k;
  }
  StepMask nots = 0;
  bool accepting = false;
  Follow(rule.steps, -1, &out.first, &nots, &accepting);
  for (size_t k = rule.steps.size(); k > 0 && rule.steps[k - 1].negated; --k)
    out.trailing |= StepMask{1} << (k - 1);
  out.rule = std::move(rule);
  return out;
}

void ReleaseRule(const CompiledRule& rule, Letters* letters) {
  for (const CompiledStep& step : rule.steps) {
    letters->Remove(step.fits.letter);
    if (step.until) letters->Remove(step.until->letter);
  }
}

bool IsPlain(const CompiledRule& rule) {
  if (rule.rule.skip != SkipKind::kPastLast) return false;
  for (size_t k = 0; k < rule.steps.size(); ++k) {
    const Step& step = rule.rule.steps[k];
    const bool follows = k == 0 || step.contiguity == Contiguity::kRelaxed;
    if (!follows || step.most != 1 || step.optional || step.negated || step.until ||
        rule.steps[k].fits.where)
      return false;
  }
  return true;
}

std::vector<Letter> LettersOf(const CompiledRule& rule) {
  std::vector<Letter> out;
  for (const CompiledStep& step : rule.steps) {
    out.push_back(step.fits.letter);
    if (step.until) out.push_back(step.until->letter);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace ferry::rule

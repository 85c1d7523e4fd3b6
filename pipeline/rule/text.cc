#include "pipeline/rule/text.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "common/base/json.h"
#include "pipeline/expression/expression.h"

namespace ferry::rule {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool IsDigitByte(char c) {
  return c >= '0' && c <= '9';
}
bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigitByte(c) || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

struct Unit {
  std::string_view name;
  int64_t ms;
};
constexpr Unit kUnits[] = {
    {"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};

// Recursive descent straight over the text.
class RuleParser {
 public:
  explicit RuleParser(std::string_view text) : text_(text) {}

  // One rule, with the word before it or without.
  Result<Rule> RunOne() {
    const size_t start = at_;
    if (TakeWord("rule") && (Skip() == '{' || Peek() == "per")) at_ = start;  // its name
    FERRY_ASSIGN_OR_RETURN(Rule rule, RestOfRule());
    if (Skip() != '\0' || at_ < text_.size()) return Expected("the end: one rule stands here");
    if (const Status checked = CheckRule(rule); !checked.ok())
      return checked.Context("rule {}", rule.name.substr(0, 64));
    return rule;
  }

  Result<std::vector<Rule>> Run() {
    std::vector<Rule> out;
    std::set<std::string> names;
    while (Skip() != '\0' || at_ < text_.size()) {
      if (out.size() >= kMaxRules)
        return Error(Code::kLimitExceeded, at_, fmt::format("{} rules are the limit", kMaxRules));
      const size_t start = at_;
      FERRY_ASSIGN_OR_RETURN(Rule rule, OneRule());
      if (const Status checked = CheckRule(rule); !checked.ok())
        return Error(checked.code(), start,
                     fmt::format("rule {}: {}", rule.name.substr(0, 64), checked.message()));
      if (!names.insert(rule.name).second)
        return Error(Code::kMalformed, start, "two rules have the name " + rule.name);
      out.push_back(std::move(rule));
    }
    return out;
  }

 private:
  Status Error(Code code, size_t at, std::string_view message) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return Status::Of(code, "line {}, column {}: {}", line, at - begin + 1, message);
  }
  Status Expected(std::string_view what) {
    Skip();
    if (at_ >= text_.size())
      return Error(Code::kMalformed, at_, fmt::format("expected {}, found the end", what));
    size_t end = at_;
    while (end < text_.size() && end < at_ + 32 && IsWordByte(text_[end])) ++end;
    return Error(Code::kMalformed, at_,
                 fmt::format("expected {}, found '{}'", what,
                             text_.substr(at_, std::max<size_t>(end - at_, 1))));
  }

  char Skip() {
    while (at_ < text_.size() && (IsBlank(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else
        ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char sign) {
    if (Skip() != sign || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  // The word that comes next, not taken.
  std::string_view Peek() {
    Skip();
    size_t end = at_;
    while (end < text_.size() && IsWordByte(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool TakeWord(std::string_view word) {
    if (Peek() != word) return false;
    at_ += word.size();
    return true;
  }

  Result<std::string> Name(std::string_view what) {
    if (Skip() == '"') {
      const size_t end = text_.find('"', at_ + 1);
      if (end == text_.npos || text_.substr(at_, end - at_).find('\n') != text_.npos)
        return Error(Code::kMalformed, at_, "a name without closing quote");
      std::string out(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return out;
    }
    const std::string out(Peek());
    if (out.empty()) return Expected(what);
    at_ += out.size();
    return out;
  }

  Result<int64_t> Number(std::string_view what) {
    Skip();
    int64_t value = 0;
    const char* end = text_.data() + text_.size();
    if (at_ >= text_.size() || !IsDigitByte(text_[at_])) return Expected(what);
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) return Error(Code::kLimitExceeded, at_, "a number out of range");
    at_ = static_cast<size_t>(stop - text_.data());
    return value;
  }
  Result<uint32_t> SmallNumber(std::string_view what) {
    FERRY_ASSIGN_OR_RETURN(const int64_t value, Number(what));
    return static_cast<uint32_t>(std::min<int64_t>(value, UINT32_MAX));
  }

  // Whether a step's name and its colon come next.
  bool AtStepName() {
    const size_t start = at_;
    const bool named = Name("").ok() && Take(':');
    at_ = start;
    return named;
  }

  Result<Rule> OneRule() {
    if (!TakeWord("rule")) return Expected("rule");
    return RestOfRule();
  }

  // What stands behind the word `rule`.
  Result<Rule> RestOfRule() {
    Rule rule;
    names_.clear();
    FERRY_ASSIGN_OR_RETURN(rule.name, Name("the rule's name"));
    if (TakeWord("per")) {
      do {
        FERRY_ASSIGN_OR_RETURN(std::string field, Name("a field"));
        rule.per.push_back(std::move(field));
      } while (Take(','));
    }
    if (!Take('{')) return Expected("per or {");
    while (!Take('}')) {
      FERRY_TRY(Part(&rule));
      if (Take(';')) continue;
      if (Skip() != '}') return Expected("; or }");
    }
    return rule;
  }

  Status Part(Rule* rule) {
    if (AtStepName()) return OneStep(rule);
    if (TakeWord("within")) return Within(rule);
    if (TakeWord("skip")) return SkipOf(rule);
    if (TakeWord("max_runs")) {
      FERRY_ASSIGN_OR_RETURN(rule->max_runs, SmallNumber("a number of runs"));
      return OkStatus();
    }
    if (TakeWord("max_keys")) {
      FERRY_ASSIGN_OR_RETURN(rule->max_keys, SmallNumber("a number of keys"));
      return OkStatus();
    }
    return OneStep(rule);
  }

  Status Within(Rule* rule) {
    FERRY_ASSIGN_OR_RETURN(const int64_t count, Number("a time"));
    for (const Unit& unit : kUnits) {
      if (!TakeWord(unit.name)) continue;
      if (count > kMaxWithinMs / unit.ms)
        return Error(Code::kLimitExceeded, at_,
                     fmt::format("within is over {} days", kMaxWithinMs / 86'400'000));
      rule->within_ms = count * unit.ms;
      return OkStatus();
    }
    return Expected("ms, s, min, h or d");
  }

  Status SkipOf(Rule* rule) {
    constexpr std::pair<std::string_view, SkipKind> kKinds[] = {{"none", SkipKind::kNone},
                                                                {"next", SkipKind::kNext},
                                                                {"past_last", SkipKind::kPastLast},
                                                                {"first", SkipKind::kFirst},
                                                                {"last", SkipKind::kLast}};
    for (const auto& [word, kind] : kKinds) {
      if (!TakeWord(word)) continue;
      rule->skip = kind;
      if (kind != SkipKind::kFirst && kind != SkipKind::kLast) return OkStatus();
      FERRY_ASSIGN_OR_RETURN(rule->skip_to, Name("the name of a step"));
      return OkStatus();
    }
    return Expected("past_last, none, next, first or last");
  }

  bool TakeContiguity(Contiguity* out) {
    if (TakeWord("strict"))
      *out = Contiguity::kStrict;
    else if (TakeWord("relaxed"))
      *out = Contiguity::kRelaxed;
    else if (TakeWord("any"))
      *out = Contiguity::kAny;
    else
      return false;
    return true;
  }

  Status OneStep(Rule* rule) {
    Step step;
    if (rule->steps.size() >= kMaxSteps)
      return Error(Code::kLimitExceeded, at_, fmt::format("{} steps are the limit", kMaxSteps));
    while (!AtStepName()) {
      if (TakeWord("then") || TakeContiguity(&step.contiguity)) continue;
      if (TakeWord("not"))
        step.negated = true;
      else if (TakeWord("optional"))
        step.optional = true;
      else if (TakeWord("greedy"))
        step.greedy = true;
      else
        return Expected("a step: its name and a colon");
    }
    FERRY_ASSIGN_OR_RETURN(step.name, Name("a name"));
    Take(':');
    names_.push_back(step.name);
    FERRY_TRY(Fits(&step.fits));
    FERRY_TRY(Endings(&step));
    rule->steps.push_back(std::move(step));
    return OkStatus();
  }

  Status Fits(Condition* out) {
    if (!Take('*')) {
      FERRY_ASSIGN_OR_RETURN(out->event, Name("an event or *"));
    }
    if (TakeWord("on")) {
      FERRY_ASSIGN_OR_RETURN(out->page, Name("a page"));
    }
    return TakeWord("where") ? Expression(&out->where) : OkStatus();
  }

  Status Endings(Step* step) {
    for (;;) {
      if (TakeWord("times")) {
        FERRY_TRY(Times(step));
      } else if (TakeWord("inner")) {
        if (!TakeContiguity(&step->inner)) return Expected("strict, relaxed or any");
      } else if (TakeWord("until")) {
        FERRY_TRY(Until(step));
      } else {
        return OkStatus();
      }
    }
  }

  Status Times(Step* step) {
    FERRY_ASSIGN_OR_RETURN(step->least, SmallNumber("a number of times"));
    step->most = step->least;
    if (!Take('.')) return OkStatus();
    if (at_ >= text_.size() || text_[at_] != '.') return Expected("..");
    ++at_;
    FERRY_ASSIGN_OR_RETURN(step->most, SmallNumber("a number of times"));
    return OkStatus();
  }

  Status Until(Step* step) {
    step->until.emplace();
    if (!Take('{')) return Expression(&step->until->where);
    FERRY_TRY(Fits(&*step->until));
    return Take('}') ? OkStatus() : Expected("}");
  }

  // Takes an expression and brings the column of its error to this text.
  Status Expression(std::string* out) {
    Skip();
    size_t end = 0;
    auto parsed = expression::Expression::ParsePrefix(text_.substr(at_), names_, &end);
    if (parsed.ok()) {
      at_ += end;
      *out = parsed->text();
      return OkStatus();
    }
    constexpr std::string_view kColumn = "column ";
    std::string_view message = parsed.status().message();
    size_t column = 1;
    if (message.substr(0, kColumn.size()) == kColumn) {
      const char* begin = message.data() + kColumn.size();
      std::from_chars(begin, message.data() + message.size(), column);
      message = message.substr(std::min(message.find(": ") + 2, message.size()));
    }
    return Error(parsed.code(), std::min(at_ + column - 1, text_.size()), message);
  }

  std::string_view text_;
  std::vector<std::string> names_;  // of the rule's steps so far
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<Rule>> RulesFromText(std::string_view text) {
  if (text.size() > kMaxRuleTextBytes)
    return Status::Of(Code::kLimitExceeded, "the rules have {} bytes, the limit is {}", text.size(),
                      kMaxRuleTextBytes);
  return RuleParser(text).Run();
}

Result<Rule> RuleFromText(std::string_view text) {
  if (text.size() > kMaxRuleTextBytes)
    return Status::Of(Code::kLimitExceeded, "the rule has {} bytes, the limit is {}", text.size(),
                      kMaxRuleTextBytes);
  return RuleParser(text).RunOne();
}

Result<std::vector<Rule>> ParseRules(std::string_view text) {
  if (text.size() > kMaxRuleTextBytes)
    return Status::Of(Code::kLimitExceeded, "the rules have {} bytes, the limit is {}", text.size(),
                      kMaxRuleTextBytes);
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos || (text[first] != '{' && text[first] != '[')) return RulesFromText(text);
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  return RulesFromJson(json);
}

}  // namespace ferry::rule

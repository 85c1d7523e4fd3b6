// "pre_tokenizer" of tokenizer.json.
#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

Result<SplitStep::Behavior> BehaviorFromJson(const Json& json, std::string_view of,
                                             std::string fallback) {
  FERRY_ASSIGN_OR_RETURN(const std::string name,
                         GetStringOr(json, "behavior", std::move(fallback)));
  if (name == "Isolated") return SplitStep::kIsolated;
  if (name == "Removed") return SplitStep::kRemoved;
  if (name == "Contiguous") return SplitStep::kContiguous;
  if (name == "MergedWithPrevious") return SplitStep::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitStep::kMergedWithNext;
  return Status::Of(Code::kUnsupported, "pre-tokenizer {} with behavior {:?}", of, name);
}

Result<SplitStep> SplitFromJson(const Json& json) {
  SplitStep step;
  FERRY_ASSIGN_OR_RETURN(const Json* pattern, GetObject(json, "pattern"));
  step.kind = pattern->contains("Regex") ? SplitStep::kExpression : SplitStep::kLiteral;
  FERRY_ASSIGN_OR_RETURN(
      step.pattern, GetString(*pattern, step.kind == SplitStep::kExpression ? "Regex" : "String"));
  FERRY_ASSIGN_OR_RETURN(step.behavior, BehaviorFromJson(json, "Split", ""));
  FERRY_ASSIGN_OR_RETURN(step.invert, GetBoolOr(json, "invert", false));
  return step;
}

void AppendExpression(std::string_view pattern, SplitStep::Behavior behavior,
                      std::vector<SplitStep>& steps) {
  SplitStep& step = steps.emplace_back();
  step.kind = SplitStep::kExpression;
  step.behavior = behavior;
  step.pattern = pattern;
}

Status AppendByteLevel(const Json& json, std::vector<SplitStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const bool space, GetBoolOr(json, "add_prefix_space", true));
  FERRY_ASSIGN_OR_RETURN(const bool cut, GetBoolOr(json, "use_regex", true));
  if (space) steps.emplace_back().kind = SplitStep::kSpaceBefore;
  if (cut) AppendExpression(kGpt2Expression, SplitStep::kIsolated, steps);
  return OkStatus();
}

Status AppendMetaspace(const Json& json, std::vector<SplitStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const std::string mark,
                         GetStringOr(json, "replacement", std::string(kSpaceMark)));
  if (mark != kSpaceMark) {
    return Status::Of(Code::kUnsupported, "pre-tokenizer Metaspace with replacement {:?}", mark);
  }
  SplitStep& step = steps.emplace_back();
  step.kind = SplitStep::kSpaceMarks;
  // Older files say add_prefix_space, newer ones prepend_scheme.
  FERRY_ASSIGN_OR_RETURN(const bool space, GetBoolOr(json, "add_prefix_space", true));
  FERRY_ASSIGN_OR_RETURN(const std::string scheme,
                         GetStringOr(json, "prepend_scheme", space ? "always" : "never"));
  if (scheme == "always") {
    step.mark = SplitStep::kAlways;
  } else if (scheme == "first") {
    step.mark = SplitStep::kFirst;
  } else if (scheme != "never") {
    return Status::Of(Code::kUnsupported, "pre-tokenizer Metaspace with prepend_scheme {:?}",
                      scheme);
  }
  FERRY_ASSIGN_OR_RETURN(step.invert, GetBoolOr(json, "split", true));
  return OkStatus();
}

Status AppendStep(const Json& json, std::vector<SplitStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  if (type == "ByteLevel") return AppendByteLevel(json, steps);
  if (type == "Split") {
    FERRY_ASSIGN_OR_RETURN(SplitStep step, SplitFromJson(json));
    steps.push_back(std::move(step));
    return OkStatus();
  }
  if (type == "Digits") {
    FERRY_ASSIGN_OR_RETURN(const bool single, GetBoolOr(json, "individual_digits", false));
    AppendExpression(single ? R"(\p{N})" : R"(\p{N}+)", SplitStep::kIsolated, steps);
    return OkStatus();
  }
  if (type == "Punctuation") {
    FERRY_ASSIGN_OR_RETURN(const auto behavior, BehaviorFromJson(json, type, "Isolated"));
    AppendExpression(kPunctuationExpression, behavior, steps);
    return OkStatus();
  }
  if (type == "Metaspace") return AppendMetaspace(json, steps);
  if (type == "WhitespaceSplit" || type == "BertPreTokenizer") {
    AppendExpression(R"(\s+)", SplitStep::kRemoved, steps);
    if (type == "BertPreTokenizer") {
      AppendExpression(kPunctuationExpression, SplitStep::kIsolated, steps);
    }
    return OkStatus();
  }
  if (type == "Whitespace") {
    AppendExpression(R"(\w+|[^\w\s]+)", SplitStep::kRemoved, steps);
    steps.back().invert = true;
    return OkStatus();
  }
  return Status::Of(Code::kUnsupported, "pre-tokenizer {:?}", type);
}

}  // namespace

Result<std::vector<SplitStep>> SplitStepsFromJson(const Json& pre_tokenizer, bool byte_level) {
  std::vector<SplitStep> steps;
  if (!pre_tokenizer.is_object()) {
    if (!byte_level) return steps;
    return Status(Code::kUnsupported, "BPE without the pre-tokenizer ByteLevel");
  }
  FERRY_ASSIGN_OR_RETURN(std::string last, GetString(pre_tokenizer, "type"));
  size_t byte_levels = last == "ByteLevel" ? 1 : 0;
  if (last != "Sequence") {
    FERRY_TRY(AppendStep(pre_tokenizer, steps));
  } else {
    FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(pre_tokenizer, "pretokenizers"));
    for (const Json& part : *parts) {
      FERRY_ASSIGN_OR_RETURN(last, GetString(part, "type"));
      byte_levels += last == "ByteLevel";
      FERRY_TRY(AppendStep(part, steps));
      if (steps.size() > kMaxSplitSteps) {
        return Status::Of(Code::kLimitExceeded, "over {} pre-tokenizers", kMaxSplitSteps);
      }
    }
    // Behind ByteLevel a text is spelled in another alphabet, which other steps would cut.
    if (byte_levels > 1) return Status(Code::kUnsupported, "two pre-tokenizers ByteLevel");
  }
  if (byte_level && last != "ByteLevel") {
    return Status::Of(Code::kUnsupported, "BPE whose last pre-tokenizer is {}, not ByteLevel",
                      last);
  }
  if (!byte_level && byte_levels > 0) {
    return Status(Code::kUnsupported, "the pre-tokenizer ByteLevel with this model");
  }
  return steps;
}

}  // namespace ferry::llm

// "normalizer" of tokenizer.json.
#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

constexpr int kMaxNormalizerNesting = 4;

Status AppendNormalizers(const Json& json, int nesting, std::vector<NormalStep>& steps);

void AppendNormal(NormalStep::Kind kind, std::vector<NormalStep>& steps, uint8_t flags = 0) {
  NormalStep& step = steps.emplace_back();
  step.kind = kind;
  step.flags = flags;
}

Status AppendReplace(const Json& json, std::vector<NormalStep>& steps) {
  NormalStep& step = steps.emplace_back();
  FERRY_ASSIGN_OR_RETURN(const Json* pattern, GetObject(json, "pattern"));
  const bool expression = pattern->contains("Regex");
  step.kind = expression ? NormalStep::kExpression : NormalStep::kLiteral;
  FERRY_ASSIGN_OR_RETURN(step.pattern, GetString(*pattern, expression ? "Regex" : "String"));
  FERRY_ASSIGN_OR_RETURN(step.content, GetString(json, "content"));
  return OkStatus();
}

Status AppendStrip(const Json& json, std::vector<NormalStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const bool left, GetBoolOr(json, "strip_left", true));
  FERRY_ASSIGN_OR_RETURN(const bool right, GetBoolOr(json, "strip_right", true));
  AppendNormal(NormalStep::kStrip, steps, static_cast<uint8_t>((left ? 1 : 0) | (right ? 2 : 0)));
  return OkStatus();
}

Status AppendBert(const Json& json, std::vector<NormalStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const bool clean, GetBoolOr(json, "clean_text", true));
  FERRY_ASSIGN_OR_RETURN(const bool ideographs, GetBoolOr(json, "handle_chinese_chars", true));
  FERRY_ASSIGN_OR_RETURN(const bool lower, GetBoolOr(json, "lowercase", true));
  FERRY_ASSIGN_OR_RETURN(const bool accents, GetBoolOr(json, "strip_accents", lower));
  if (clean) AppendNormal(NormalStep::kClean, steps);
  if (ideographs) AppendNormal(NormalStep::kIdeographs, steps);
  if (accents) {
    AppendNormal(NormalStep::kNfd, steps);
    AppendNormal(NormalStep::kDropMarks, steps, 1);
  }
  if (lower) AppendNormal(NormalStep::kLower, steps);
  return OkStatus();
}

Status AppendPrecompiled(const Json& json, std::vector<NormalStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(json, "precompiled_charsmap", ""));
  if (text.empty()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const Bytes blob, FromBase64(text).Context("precompiled_charsmap"));
  NormalStep& step = steps.emplace_back();
  step.kind = NormalStep::kCharsmap;
  step.pattern = AsText(blob);
  return OkStatus();
}

Status AppendSequence(const Json& json, int nesting, std::vector<NormalStep>& steps) {
  FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(json, "normalizers"));
  for (const Json& part : *parts) {
    FERRY_TRY(AppendNormalizers(part, nesting + 1, steps));
    if (steps.size() > kMaxNormalSteps) {
      return Status::Of(Code::kLimitExceeded, "over {} normalizers", kMaxNormalSteps);
    }
  }
  return OkStatus();
}

Status AppendNormalizers(const Json& json, int nesting, std::vector<NormalStep>& steps) {
  if (nesting > kMaxNormalizerNesting) {
    return Status::Of(Code::kLimitExceeded, "normalizers nested deeper than {}",
                      kMaxNormalizerNesting);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  if (type == "Sequence") return AppendSequence(json, nesting, steps);
  if (type == "Replace") return AppendReplace(json, steps);
  if (type == "Strip") return AppendStrip(json, steps);
  if (type == "BertNormalizer") return AppendBert(json, steps);
  if (type == "Precompiled") return AppendPrecompiled(json, steps);
  if (type == "Prepend") {
    FERRY_ASSIGN_OR_RETURN(const std::string prefix, GetString(json, "prepend"));
    AppendNormal(NormalStep::kPrepend, steps);
    steps.back().content = prefix;
    return OkStatus();
  }
  const struct {
    std::string_view name;
    NormalStep::Kind kind;
  } plain[] = {{"NFC", NormalStep::kNfc},         {"NFD", NormalStep::kNfd},
               {"NFKC", NormalStep::kNfkc},       {"NFKD", NormalStep::kNfkd},
               {"Lowercase", NormalStep::kLower}, {"StripAccents", NormalStep::kDropMarks}};
  for (const auto& [name, kind] : plain) {
    if (type != name) continue;
    AppendNormal(kind, steps);
    return OkStatus();
  }
  return Status::Of(Code::kUnsupported, "normalizer {:?}", type);
}

}  // namespace

Result<std::vector<NormalStep>> NormalStepsFromJson(const Json& normalizer) {
  std::vector<NormalStep> steps;
  if (!normalizer.is_null()) FERRY_TRY(AppendNormalizers(normalizer, 0, steps));
  return steps;
}

}  // namespace ferry::llm

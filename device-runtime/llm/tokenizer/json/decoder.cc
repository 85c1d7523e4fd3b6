// "decoder" and "post_processor" of tokenizer.json.
#include "device-runtime/llm/tokenizer/json/parts_json.h"

namespace ferry::llm {
namespace {

Status UnsupportedDecoder(std::string_view what) {
  return Status::Of(Code::kUnsupported, "decoder {:?}", what);
}

// Only the replacement that undoes Metaspace's.
Status ReadDecoderReplace(const Json& json, ShownAs& shown) {
  FERRY_ASSIGN_OR_RETURN(const Json* pattern, GetObject(json, "pattern"));
  FERRY_ASSIGN_OR_RETURN(const std::string from, GetStringOr(*pattern, "String", ""));
  FERRY_ASSIGN_OR_RETURN(const std::string to, GetString(json, "content"));
  if (from != kSpaceMark || to != " ") return UnsupportedDecoder("Replace of another text");
  shown.style = ShownAs::kSpaceMarks;
  return OkStatus();
}

Status ReadDecoderStrip(const Json& json, ShownAs& shown) {
  FERRY_ASSIGN_OR_RETURN(const std::string content, GetString(json, "content"));
  FERRY_ASSIGN_OR_RETURN(const int64_t start, GetIntOr(json, "start", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t stop, GetIntOr(json, "stop", 0));
  if (content != " " || start < 0 || start > 1 || stop != 0) {
    return UnsupportedDecoder("Strip of other than one space at the start");
  }
  shown.drop_first_space = start == 1;
  return OkStatus();
}

Status ReadDecoderMetaspace(const Json& json, ShownAs& shown) {
  FERRY_ASSIGN_OR_RETURN(const std::string mark,
                         GetStringOr(json, "replacement", std::string(kSpaceMark)));
  if (mark != kSpaceMark) return UnsupportedDecoder("Metaspace with another replacement");
  FERRY_ASSIGN_OR_RETURN(const bool space, GetBoolOr(json, "add_prefix_space", true));
  FERRY_ASSIGN_OR_RETURN(const std::string scheme,
                         GetStringOr(json, "prepend_scheme", space ? "always" : "never"));
  shown.style = ShownAs::kSpaceMarks;
  shown.drop_first_space = scheme != "never";
  return OkStatus();
}

Status ReadDecoderPart(const Json& json, ShownAs& shown) {
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  if (type == "ByteLevel" || type == "Fuse") return OkStatus();
  if (type == "Replace") return ReadDecoderReplace(json, shown);
  if (type == "Strip") return ReadDecoderStrip(json, shown);
  if (type == "Metaspace") return ReadDecoderMetaspace(json, shown);
  if (type == "ByteFallback") {
    shown.bytes = true;
    return OkStatus();
  }
  if (type == "WordPiece") {
    shown.style = ShownAs::kWordPieces;
    shown.drop_first_space = true;
    FERRY_ASSIGN_OR_RETURN(shown.affix, GetStringOr(json, "prefix", "##"));
    FERRY_ASSIGN_OR_RETURN(shown.clean_up, GetBoolOr(json, "cleanup", true));
    return OkStatus();
  }
  return UnsupportedDecoder(type);
}

}  // namespace

Result<ShownAs> ShownAsFromJson(const Json& decoder) {
  ShownAs shown;
  if (decoder.is_null()) return shown;
  if (Member(decoder, "type") != "Sequence") {
    FERRY_TRY(ReadDecoderPart(decoder, shown));
    return shown;
  }
  FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(decoder, "decoders"));
  for (const Json& part : *parts) FERRY_TRY(ReadDecoderPart(part, shown));
  return shown;
}

Status CheckPostProcessor(const Json& json, int depth) {
  if (json.is_null()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  for (const std::string_view known :
       {"ByteLevel", "TemplateProcessing", "RobertaProcessing", "BertProcessing"}) {
    if (type == known) return OkStatus();
  }
  if (type != "Sequence" || depth > 0) {
    return Status::Of(Code::kUnsupported, "post-processor {:?}", type);
  }
  FERRY_ASSIGN_OR_RETURN(const Json* parts, GetArray(json, "processors"));
  for (const Json& part : *parts) FERRY_TRY(CheckPostProcessor(part, depth + 1));
  return OkStatus();
}

}  // namespace ferry::llm

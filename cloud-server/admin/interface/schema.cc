#include "cloud-server/admin/interface/schema.h"

#include <cctype>
#include <string>
#include <string_view>

#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr std::string_view kDescribed = " # ";

Result<Json> SchemaOfName(const std::string& name) {
  for (const char* type : {"string", "integer", "number", "boolean"})
    if (name == type) return Json{{"type", type}};
  if (name == "any") return Json(Json::object());
  if (name == "object") return Json{{"type", "object"}, {"additionalProperties", true}};
  if (name == "base64") return Json{{"type", "string"}, {"contentEncoding", "base64"}};
  if (name == "binary") return Json{{"type", "string"}, {"format", "binary"}};
  if (name.empty() || std::isupper(static_cast<unsigned char>(name[0])) == 0)
    return Status::Of(Code::kMalformed, "\"{}\" is no type", name);
  return Json{{"$ref", kSchemaRef + name}};
}

Result<Json> SchemaOfText(std::string_view text);

// "[X]", "{X}" or a name.
Result<Json> SchemaOfOne(std::string_view text) {
  const bool array = text.starts_with('[') && text.ends_with(']');
  const bool map = text.starts_with('{') && text.ends_with('}');
  if (!array && !map) return SchemaOfName(std::string(text));
  FERRY_ASSIGN_OR_RETURN(Json inner, SchemaOfText(text.substr(1, text.size() - 2)));
  if (array) return Json{{"type", "array"}, {"items", std::move(inner)}};
  return Json{{"type", "object"}, {"additionalProperties", std::move(inner)}};
}

// Alternatives: texts in quotes, null, one other.
Result<Json> SchemaOfText(std::string_view text) {
  Json texts = Json::array(), out;
  bool null = false;
  // The bar inside of brackets belongs to what they hold.
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '{')) ++depth;
    if (i < text.size() && (text[i] == ']' || text[i] == '}')) --depth;
    if (i < text.size() && (text[i] != '|' || depth > 0)) continue;
    const std::string_view one = text.substr(begin, i - begin);
    begin = i + 1;
    if (one == "null") {
      null = true;
    } else if (one.size() >= 2 && one.starts_with('\'') && one.ends_with('\'')) {
      texts.push_back(std::string(one.substr(1, one.size() - 2)));
    } else if (!out.is_null()) {
      return Status::Of(Code::kMalformed, "\"{}\": more than one type", text);
    } else {
      FERRY_ASSIGN_OR_RETURN(out, SchemaOfOne(one));
    }
  }
  if (texts.empty() == out.is_null())
    return Status::Of(Code::kMalformed, "\"{}\": one type, or texts", text);
  if (!texts.empty()) out = {{"type", "string"}, {"enum", std::move(texts)}};
  if (!null) return out;
  const auto type = out.find("type");
  if (type == out.end() || out.contains("enum"))
    return Json{{"oneOf", Json::array({std::move(out), {{"type", "null"}}})}};
  *type = Json::array({*type, "null"});
  return out;
}

Result<Json> SchemaOfObject(const Json& form) {
  Json own = {{"type", "object"}};
  Json parts = Json::array(), required = Json::array();
  for (const auto& [key, value] : form.items()) {
    if (key == "#") continue;
    if (key == "...") {
      for (const Json& name : value.is_array() ? value : Json::array({value})) {
        FERRY_ASSIGN_OR_RETURN(Json part, SchemaFromShort(name));
        parts.push_back(std::move(part));
      }
      continue;
    }
    FERRY_ASSIGN_OR_RETURN(Json member, SchemaFromShort(value).Context("{}", key));
    if (key == "*") {
      own["additionalProperties"] = std::move(member);
      continue;
    }
    const bool optional = key.ends_with('?');
    const std::string name = optional ? key.substr(0, key.size() - 1) : key;
    own["properties"][name] = std::move(member);
    if (!optional) required.push_back(name);
  }
  if (!own.contains("additionalProperties") && !own.contains("properties"))
    own["properties"] = Json::object();
  if (!required.empty()) own["required"] = std::move(required);
  if (parts.empty()) return own;
  parts.push_back(std::move(own));
  return Json{{"allOf", std::move(parts)}};
}

}  // namespace

Result<Json> SchemaFromShort(const Json& form) {
  if (const auto* text = form.get_ptr<const std::string*>()) {
    const size_t described = text->find(kDescribed);
    FERRY_ASSIGN_OR_RETURN(Json out, SchemaOfText(std::string_view(*text).substr(0, described)));
    if (described != std::string::npos)
      out["description"] = text->substr(described + kDescribed.size());
    return out;
  }
  if (form.is_array() && form.size() == 1) {
    FERRY_ASSIGN_OR_RETURN(Json items, SchemaFromShort(form.front()));
    return Json{{"type", "array"}, {"items", std::move(items)}};
  }
  if (!form.is_object())
    return Status::Of(Code::kMalformed, "{} describes no value", WriteJson(form).substr(0, 80));
  FERRY_ASSIGN_OR_RETURN(Json out, SchemaOfObject(form));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetStringOr(form, "#", ""));
  if (!text.empty()) out["description"] = text;
  return out;
}

}  // namespace ferry::server

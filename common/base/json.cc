#include "common/base/json.h"

namespace ferry {
namespace {

constexpr size_t kLongestToken = 64;  // that an error goes back over

// Depth of nesting by brackets outside strings; cheaper than a parser callback and safe before the
// parser recurses.
int NestingOf(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

// Remembers where and why parsing failed; nlohmann reports that only through its SAX interface or
// exceptions.
class ErrorCatcher : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  explicit ErrorCatcher(Json& root) : json_sax_dom_parser(root, false) {}
  template <typename Exception>
  bool parse_error(size_t position, const std::string& token, const Exception& error) {
    offset = position;
    // What is not printable stands in the token as more than one letter.
    token_begin = position - std::min(position, std::min(token.size(), kLongestToken));
    json_sax_dom_parser::parse_error(position, token, error);
    return false;
  }
  size_t offset = 0;       // behind the token that does not fit
  size_t token_begin = 0;  // where that begins
};

// Where the token that does not fit begins. What nlohmann calls the token of a word has what stood
// before it, too; only of a text in quotes it is right.
size_t TokenBegin(std::string_view text, const ErrorCatcher& error) {
  const size_t end = std::min(error.offset, text.size());
  if (error.offset > text.size()) return end;
  const bool is_quoted = end > 0 && text[end - 1] == '"' && text[error.token_begin] == '"';
  if (is_quoted) return error.token_begin;
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '+' || c == '-';
  };
  size_t begin = end;
  while (begin > 0 && in_word(text[begin - 1])) --begin;
  return begin == end && end > 0 ? end - 1 : begin;
}

// "line 3, column 7" of a text with more than one line, else "offset 6". Columns count bytes.
std::string PlaceText(std::string_view text, const ErrorCatcher& error) {
  if (text.find('\n') == text.npos) return fmt::format("offset {}", error.offset);
  const std::string_view before = text.substr(0, TokenBegin(text, error));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("line {}, column {}", line, before.size() - begin + 1);
}

const Json* Find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

Status Missing(std::string_view key, std::string_view kind) {
  return Status::Of(Code::kMalformed, "field \"{}\" is missing, wanted {}", key, kind);
}

Status WrongType(std::string_view key, std::string_view kind, const Json& found) {
  return Status::Of(Code::kMalformed, "field \"{}\" is {}, wanted {}", key, found.type_name(),
                    kind);
}

template <typename T>
bool Is(const Json& value) {
  if constexpr (std::is_same_v<T, std::string>) return value.is_string();
  if constexpr (std::is_same_v<T, bool>) return value.is_boolean();
  if constexpr (std::is_same_v<T, double>) return value.is_number();
  if constexpr (std::is_same_v<T, int64_t>) {
    return value.is_number_integer() && !(value.is_number_unsigned() &&
                                          value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  }
}

template <typename T>
Result<T> Get(const Json& object, std::string_view key, std::string_view kind) {
  const Json* value = Find(object, key);
  if (value == nullptr) return Missing(key, kind);
  if (!Is<T>(*value)) return WrongType(key, kind, *value);
  return value->get<T>();
}

template <typename T>
Result<T> GetOr(const Json& object, std::string_view key, std::string_view kind, T fallback) {
  return Find(object, key) == nullptr ? Result<T>(std::move(fallback)) : Get<T>(object, key, kind);
}

Result<std::vector<std::string>> Strings(const Json& array, std::string_view key) {
  std::vector<std::string> out;
  for (const Json& item : array) {
    if (!item.is_string()) return WrongType(key, "an array of strings", item);
    out.push_back(item.get<std::string>());
  }
  return out;
}

bool HasFloat(const Json& value) {
  if (value.is_number_float()) return true;
  if (!value.is_structured()) return false;
  for (const Json& item : value) {
    if (HasFloat(item)) return true;
  }
  return false;
}

}  // namespace

Result<Json> ParseJson(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return Status::Of(Code::kLimitExceeded, "JSON of {} bytes, at most {}", text.size(),
                      kMaxJsonBytes);
  }
  if (NestingOf(text) > kMaxJsonDepth) {
    return Status::Of(Code::kLimitExceeded, "JSON nested deeper than {}", kMaxJsonDepth);
  }
  Json value;
  ErrorCatcher sax(value);
  if (!Json::sax_parse(text.begin(), text.end(), &sax) || value.is_discarded()) {
    return Status::Of(Code::kMalformed, "not JSON at {}", PlaceText(text, sax));
  }
  return value;
}

std::string WriteJson(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string WriteJsonPretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> WriteCanonicalJson(const Json& value) {
  if (HasFloat(value)) return Status(Code::kInvalidArgument, "canonical JSON holds no floats");
  return WriteJson(value);
}

Result<std::string> GetString(const Json& object, std::string_view key) {
  return Get<std::string>(object, key, "a string");
}
Result<int64_t> GetInt(const Json& object, std::string_view key) {
  return Get<int64_t>(object, key, "an integer");
}
Result<double> GetNumber(const Json& object, std::string_view key) {
  return Get<double>(object, key, "a number");
}
Result<bool> GetBool(const Json& object, std::string_view key) {
  return Get<bool>(object, key, "true or false");
}
Result<std::string> GetStringOr(const Json& object, std::string_view key, std::string fallback) {
  return GetOr<std::string>(object, key, "a string", std::move(fallback));
}
Result<int64_t> GetIntOr(const Json& object, std::string_view key, int64_t fallback) {
  return GetOr<int64_t>(object, key, "an integer", fallback);
}
Result<double> GetNumberOr(const Json& object, std::string_view key, double fallback) {
  return GetOr<double>(object, key, "a number", fallback);
}
Result<bool> GetBoolOr(const Json& object, std::string_view key, bool fallback) {
  return GetOr<bool>(object, key, "true or false", fallback);
}

Result<const Json*> GetObject(const Json& object, std::string_view key) {
  const Json* value = Find(object, key);
  if (value == nullptr) return Missing(key, "an object");
  if (!value->is_object()) return WrongType(key, "an object", *value);
  return value;
}

Result<const Json*> GetArray(const Json& object, std::string_view key) {
  const Json* value = Find(object, key);
  if (value == nullptr) return Missing(key, "an array");
  if (!value->is_array()) return WrongType(key, "an array", *value);
  return value;
}

Result<const Json*> GetObjectOrNull(const Json& object, std::string_view key) {
  if (Find(object, key) == nullptr) return static_cast<const Json*>(nullptr);
  return GetObject(object, key);
}

Result<const Json*> GetArrayOrNull(const Json& object, std::string_view key) {
  if (Find(object, key) == nullptr) return static_cast<const Json*>(nullptr);
  return GetArray(object, key);
}

Result<std::vector<std::string>> GetStrings(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const Json* array, GetArray(object, key));
  return Strings(*array, key);
}

Result<std::vector<std::string>> GetStringsOr(const Json& object, std::string_view key) {
  FERRY_ASSIGN_OR_RETURN(const Json* array, GetArrayOrNull(object, key));
  if (array == nullptr) return std::vector<std::string>{};
  return Strings(*array, key);
}

}  // namespace ferry

#include "cloud-server/admin/interface/errors.h"

#include <charconv>

#include "common/base/json.h"

namespace ferry::server {
namespace {

constexpr std::string_view kBetween = ": ";

// Takes a number from 1 at the start of `text`, and what follows it has to be `end`.
bool TakeNumber(std::string_view* text, std::string_view end, int* number) {
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || *number < 1) return false;
  text->remove_prefix(static_cast<size_t>(stop - text->data()));
  if (!text->starts_with(end)) return false;
  text->remove_prefix(end.size());
  return true;
}

// "line 3, column 9"
bool ReadPlace(std::string_view context, int* line, int* column) {
  constexpr std::string_view kLine = "line ";
  if (!context.starts_with(kLine)) return false;
  context.remove_prefix(kLine.size());
  return TakeNumber(&context, ", column ", line) && TakeNumber(&context, "", column) &&
         context.empty();
}

// "stages[1].who" of "stages[1].who" and of "stage 2"; empty: the context is no field.
std::string FieldOf(std::string_view context) {
  constexpr std::string_view kStage = "stage ", kMember = "query ";
  int number = 0;
  if (context.starts_with(kStage)) {
    context.remove_prefix(kStage.size());
    return TakeNumber(&context, "", &number) && context.empty()
               ? fmt::format("stages[{}]", number - 1)
               : std::string();
  }
  if (context.starts_with(kMember)) context.remove_prefix(kMember.size());
  // "?limit=x" of a query
  if (context.starts_with('?')) context = context.substr(1, context.find('=') - 1);
  for (const char c : context) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '[' ||
                       c == ']' || c == '.';
    if (!plain) return {};
  }
  return std::string(context);
}

// "rule" of `field "rule" is missing, wanted string`.
std::string MissingField(std::string_view context) {
  constexpr std::string_view kField = "field \"";
  if (!context.starts_with(kField)) return {};
  context.remove_prefix(kField.size());
  return std::string(context.substr(0, context.find('"')));
}

void Append(const std::string& part, std::string* field) {
  if (!field->empty() && part[0] != '[') *field += '.';
  *field += part;
}

bool IsGiven(const std::string& field, const Json& given) {
  return given.contains(field.substr(0, field.find_first_of(".[")));
}

const char* NextOf(Code code) {
  if (code == Code::kUnauthenticated) return "login";
  return code == Code::kConflict ? "reload" : nullptr;
}

}  // namespace

Json PlaceOf(const std::string& message, const Json& given) {
  Json place = Json::object();
  std::string field;
  std::string_view rest = message;
  while (!rest.empty()) {
    const size_t end = rest.find(kBetween);
    const std::string_view context = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + kBetween.size());
    int line = 0, column = 0;
    if (ReadPlace(context, &line, &column)) {
      place["line"] = line;
      place["column"] = column;
      break;
    }
    if (const std::string missing = MissingField(context); !missing.empty()) {
      Append(missing, &field);
      break;
    }
    // The last part is the message itself, whatever it looks like.
    const std::string part = end == std::string_view::npos ? std::string() : FieldOf(context);
    if (part.empty() || (field.empty() && !IsGiven(part, given))) break;
    Append(part, &field);
  }
  if (!field.empty()) place["field"] = field;
  return place;
}

HttpResponse ErrorAt(const Status& status, const HttpRequest& request, const Json& body,
                     const std::string& next) {
  HttpResponse response = ErrorResponse(status);
  Json given = body.is_object() ? body : Json::object();
  for (const auto& [key, value] : request.query) given[key] = value;
  Json place = PlaceOf(status.message(), given);
  const char* usual = NextOf(status.code());
  if (!next.empty() || usual != nullptr) place["next"] = next.empty() ? usual : next;
  if (place.empty()) return response;
  if (Result<Json> json = ParseJson(response.body); json.ok()) {
    (*json)["error"].update(place);
    response.body = WriteJson(*json);
  }
  return response;
}

}  // namespace ferry::server

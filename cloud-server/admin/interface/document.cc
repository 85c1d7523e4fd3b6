#include "cloud-server/admin/interface/document.h"

#include <map>

#include "cloud-server/admin/interface/schema.h"
#include "cloud-server/admin/resources/status.h"

namespace ferry::server {
namespace {

using std::string_view_literals::operator""sv;

struct Source {
  std::string_view name, text;
};
constexpr Source kSources[] = {
#define FERRY_PAGE(path, ...) {path, __VA_ARGS__##sv},
#include "cloud-server/admin/openapi.gen.inc"
#undef FERRY_PAGE
};

constexpr const char* kJsonMedia = "application/json";

const char* NameOf(Right right) {
  switch (right) {
    case Right::kView:
      return "view";
    case Right::kRelease:
      return "release";
    case Right::kStop:
      return "stop";
    case Right::kApprove:
      return "approve";
    case Right::kRead:
      return "read";
    case Right::kAdmin:
      break;
  }
  return "admin";
}

const char* NameOf(TwoPeople two_people) {
  switch (two_people) {
    case TwoPeople::kAlways:
      return "always";
    case TwoPeople::kIfStart:
      return "if_start";
    case TwoPeople::kIfComplete:
      return "if_complete";
    case TwoPeople::kNever:
      break;
  }
  return "never";
}

// "/api/v1/devices/{id}/why", GET -> "get_devices_id_why".
std::string OperationId(const Route& route) {
  std::string id;
  for (const char c : route.method) id += static_cast<char>(c - 'A' + 'a');
  std::string_view path = route.pattern;
  constexpr std::string_view kPrefix = "/api/v1";
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  for (const char c : path) {
    if (c == '{' || c == '}') continue;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    id += plain ? c : '_';
  }
  return id;
}

Json PathParameters(const std::string& pattern) {
  Json out = Json::array();
  for (size_t at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1)) {
    const std::string name = pattern.substr(at + 1, pattern.find('}', at) - at - 1);
    out.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  return out;
}

Status AddQuery(const Json& entry, Json* parameters) {
  FERRY_ASSIGN_OR_RETURN(const Json* query, GetObjectOrNull(entry, "query"));
  if (query == nullptr) return OkStatus();
  for (const auto& [name, form] : query->items()) {
    FERRY_ASSIGN_OR_RETURN(Json schema, SchemaFromShort(form).Context("query {}", name));
    Json parameter = {{"name", name}, {"in", "query"}};
    if (schema.contains("description")) {
      parameter["description"] = schema["description"];
      schema.erase("description");
    }
    parameter["schema"] = std::move(schema);
    parameters->push_back(std::move(parameter));
  }
  return OkStatus();
}

Status AddBody(const Json& entry, Json* operation) {
  if (!entry.contains("body")) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(Json schema, SchemaFromShort(*entry.find("body")).Context("body"));
  FERRY_ASSIGN_OR_RETURN(const bool optional, GetBoolOr(entry, "body_optional", false));
  FERRY_ASSIGN_OR_RETURN(const std::string media, GetStringOr(entry, "body_media", kJsonMedia));
  (*operation)["requestBody"] = {{"required", !optional},
                                 {"content", {{media, {{"schema", std::move(schema)}}}}}};
  return OkStatus();
}

Result<Json> OperationOf(const Route& route, const Json& entry, std::string_view file) {
  Json operation = {{"operationId", OperationId(route)},
                    {"tags", Json::array({file})},
                    {"x-ferry-right", NameOf(route.right.right)},
                    {"x-ferry-changes", route.right.changes},
                    {"x-ferry-two-people", NameOf(route.right.two_people)}};
  FERRY_ASSIGN_OR_RETURN(operation["summary"], GetString(entry, "summary"));
  if (route.open) operation["security"] = Json::array();
  Json parameters = PathParameters(route.pattern);
  FERRY_TRY(AddQuery(entry, &parameters));
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  FERRY_TRY(AddBody(entry, &operation));
  if (!entry.contains("answer")) return Status(Code::kMalformed, "answer is missing");
  FERRY_ASSIGN_OR_RETURN(Json answer, SchemaFromShort(*entry.find("answer")).Context("answer"));
  FERRY_ASSIGN_OR_RETURN(const std::string media, GetStringOr(entry, "media", kJsonMedia));
  operation["responses"] = {
      {"200", {{"description", "Done"}, {"content", {{media, {{"schema", std::move(answer)}}}}}}},
      {"default", {{"$ref", "#/components/responses/Error"}}}};
  return operation;
}

struct Entry {
  Json json;
  std::string subject;
};

// The entries of all files by route; their schemas go into `schemas`.
Result<std::map<std::string, Entry>> ReadSources(Json* schemas) {
  std::map<std::string, Entry> entries;
  for (const Source& source : kSources) {
    FERRY_ASSIGN_OR_RETURN(const Json file, ParseJson(source.text).Context("{}", source.name));
    std::string subject(source.name.substr(1));
    subject.resize(subject.size() - ".json"sv.size());
    FERRY_ASSIGN_OR_RETURN(const Json* routes,
                           GetObject(file, "routes").Context("{}", source.name));
    for (const auto& [route, entry] : routes->items())
      if (!entries.emplace(route, Entry{entry, subject}).second)
        return Status::Of(Code::kMalformed, "{}: {} is there twice", source.name, route);
    FERRY_ASSIGN_OR_RETURN(const Json* own,
                           GetObjectOrNull(file, "schemas").Context("{}", source.name));
    if (own == nullptr) continue;
    for (const auto& [name, form] : own->items()) {
      if (schemas->contains(name))
        return Status::Of(Code::kMalformed, "{}: schema {} is there twice", source.name, name);
      FERRY_ASSIGN_OR_RETURN((*schemas)[name],
                             SchemaFromShort(form).Context("{}: {}", source.name, name));
    }
  }
  return entries;
}

}  // namespace

Result<Document> MakeDocument(const Routes& routes) {
  Document document;
  Json schemas = Json::object(), paths = Json::object();
  FERRY_ASSIGN_OR_RETURN(auto entries, ReadSources(&schemas));
  for (const Route& route : routes.all()) {
    const std::string name = route.method + " " + route.pattern;
    const auto found = entries.find(name);
    if (found == entries.end()) {
      document.routes_without_entry.push_back(name);
      continue;
    }
    std::string method;
    for (const char c : route.method) method += static_cast<char>(c - 'A' + 'a');
    FERRY_ASSIGN_OR_RETURN(
        paths[route.pattern][method],
        OperationOf(route, found->second.json, found->second.subject).Context("{}", name));
    entries.erase(found);
  }
  for (const auto& [name, entry] : entries) document.entries_without_route.push_back(name);
  Json bearer = {{"bearer", Json::array()}};
  document.json["openapi"] = "3.1.0";
  document.json["info"] = {{"title", "Ferry"}, {"version", kServerVersion}};
  document.json["security"] = Json::array({std::move(bearer)});
  document.json["paths"] = std::move(paths);
  Json& components = document.json["components"];
  components["schemas"] = std::move(schemas);
  components["securitySchemes"]["bearer"] = {{"type", "http"}, {"scheme", "bearer"}};
  Json& failed = components["responses"]["Error"];
  failed["description"] = "What went wrong; the status is that of its code";
  failed["content"][kJsonMedia]["schema"]["$ref"] = std::string(kSchemaRef) + "Failure";
  return document;
}

}  // namespace ferry::server

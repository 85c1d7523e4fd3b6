#include "cloud-server/admin/interface/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cloud-server/admin/interface/schema.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Routes AllRoutesOfDocument() {
  Routes routes;
#define FERRY_RESOURCE(name) Add_##name(routes);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  Add_campaigns(routes);
  return routes;
}

void CollectRefs(const Json& json, std::set<std::string>* refs) {
  if (json.is_object() && json.contains("$ref")) refs->insert(json["$ref"].get<std::string>());
  for (const Json& inner : json)
    if (inner.is_structured()) CollectRefs(inner, refs);
}

TEST(Document, EachRouteHasAnEntryAndEachEntryARoute) {
  const Result<Document> document = MakeDocument(AllRoutesOfDocument());
  ASSERT_TRUE(document.ok()) << document.status().ToString();
  EXPECT_THAT(document->routes_without_entry, IsEmpty());
  EXPECT_THAT(document->entries_without_route, IsEmpty());
  EXPECT_GT(document->json["paths"].size(), 50u);
}

TEST(Document, SaysWhichRouteLacksAnEntryAndWhichEntryARoute) {
  Routes routes;
  Add_status(routes);
  routes.Add("GET", "/api/v1/new", [](const Call&) { return Json(); });
  const Result<Document> document = MakeDocument(routes);
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->routes_without_entry, std::vector<std::string>{"GET /api/v1/new"});
  EXPECT_THAT(document->entries_without_route, testing::Contains("GET /api/v1/devices"));
  EXPECT_EQ(document->json["paths"].size(), 1u);
}

TEST(Document, EveryReferenceLeadsSomewhere) {
  const Result<Document> document = MakeDocument(AllRoutesOfDocument());
  ASSERT_TRUE(document.ok());
  std::set<std::string> refs;
  CollectRefs(document->json, &refs);
  EXPECT_GT(refs.size(), 20u);
  for (const std::string& ref : refs)
    EXPECT_TRUE(document->json.contains(Json::json_pointer(ref.substr(1)))) << ref;
  for (const auto& [name, schema] : document->json["components"]["schemas"].items())
    EXPECT_TRUE(refs.contains(kSchemaRef + name)) << name << " is used nowhere";
}

TEST(Document, OperationsHaveIdsOfTheirOwnAndSayWhatTheyNeed) {
  const Result<Document> document = MakeDocument(AllRoutesOfDocument());
  ASSERT_TRUE(document.ok());
  std::set<std::string> ids;
  for (const auto& [path, methods] : document->json["paths"].items())
    for (const auto& [method, operation] : methods.items())
      EXPECT_TRUE(ids.insert(operation["operationId"]).second) << method << " " << path;
  const Json& start = document->json["paths"]["/api/v1/releases/{id}/start"]["post"];
  EXPECT_EQ(start["operationId"], "post_releases_id_start");
  EXPECT_EQ(start["x-ferry-right"], "release");
  EXPECT_EQ(start["x-ferry-two-people"], "always");
  EXPECT_EQ(start["x-ferry-changes"], true);
  EXPECT_EQ(start["parameters"][0]["name"], "id");
  EXPECT_EQ(document->json["paths"]["/api/v1/login"]["post"]["security"], Json::array());
}

TEST(Schema, ShortFormsBecomeJsonSchema) {
  const auto schema = [](const char* form) {
    const Result<Json> made = SchemaFromShort(*ParseJson(form));
    return made.ok() ? WriteJson(*made) : made.status().ToString();
  };
  EXPECT_EQ(schema(R"("integer")"), R"({"type":"integer"})");
  EXPECT_EQ(schema(R"("any")"), "{}");
  EXPECT_EQ(schema(R"("string|null # so")"), R"({"description":"so","type":["string","null"]})");
  EXPECT_EQ(schema(R"("[integer|null]")"),
            R"({"items":{"type":["integer","null"]},"type":"array"})");
  EXPECT_EQ(schema(R"("{Device}")"),
            R"({"additionalProperties":{"$ref":"#/components/schemas/Device"},"type":"object"})");
  EXPECT_EQ(schema(R"("Device|null")"),
            R"({"oneOf":[{"$ref":"#/components/schemas/Device"},{"type":"null"}]})");
  EXPECT_EQ(schema(R"("'a'|'b'")"), R"({"enum":["a","b"],"type":"string"})");
  EXPECT_EQ(schema(R"({"id":"string","why?":"string"})"),
            R"({"properties":{"id":{"type":"string"},"why":{"type":"string"}},)"
            R"("required":["id"],"type":"object"})");
  EXPECT_EQ(schema(R"({"...":"Device","more?":["any"]})"),
            R"({"allOf":[{"$ref":"#/components/schemas/Device"},{"properties":{"more":)"
            R"({"items":{},"type":"array"}},"type":"object"}]})");
  EXPECT_EQ(schema("{}"), R"({"properties":{},"type":"object"})");
}

TEST(Schema, NamesWhatIsNoForm) {
  const auto error = [](const char* form) {
    return SchemaFromShort(*ParseJson(form)).status().ToString();
  };
  EXPECT_THAT(error(R"({"id":"strin"})"), HasSubstr("id: \"strin\" is no type"));
  EXPECT_THAT(error(R"("string|integer")"), HasSubstr("more than one type"));
  EXPECT_THAT(error(R"("null")"), HasSubstr("one type, or texts"));
  EXPECT_THAT(error("[]"), HasSubstr("describes no value"));
  EXPECT_THAT(error("7"), HasSubstr("describes no value"));
}

}  // namespace
}  // namespace ferry::server

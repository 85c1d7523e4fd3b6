#include "pipeline/privacy/privacy.h"

#include <gmock/gmock.h>

#include <fstream>

#include "common/base/json.h"

namespace ferry::privacy {
namespace {

using testing::HasSubstr;

std::vector<std::string> LinesOf(const Report& report) {
  std::vector<std::string> out;
  for (const Finding& one : report.findings)
    out.push_back(fmt::format("> {} {} {}", one.stream, one.field, one.local));
  for (const std::string& name : report.closed_sources) out.push_back("> closed source " + name);
  for (const std::string& name : report.closed_tables) out.push_back("> closed table " + name);
  return out;
}

struct TextCase {
  std::string name, task;
  std::vector<std::string> found;
};

std::vector<TextCase> ReadCases() {
  std::vector<TextCase> out;
  std::ifstream in(FERRY_SOURCE_DIR "/pipeline/privacy/cases/follow.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("case "))
      out.push_back({line.substr(5), "", {}});
    else if (line.starts_with("> "))
      out.back().found.push_back(line);
    else
      out.back().task += line;
  }
  return out;
}

TEST(Privacy, Cases) {
  const std::vector<TextCase> cases = ReadCases();
  EXPECT_GT(cases.size(), 25u);
  for (const TextCase& one : cases) {
    SCOPED_TRACE(one.name);
    const auto task = ParseJson(one.task);
    ASSERT_TRUE(task.ok()) << task.status().ToString();
    const auto definition = flow::DefinitionFromJson(*task);
    ASSERT_TRUE(definition.ok()) << definition.status().ToString();
    const auto fields = FieldsFromJson(*task);
    ASSERT_TRUE(fields.ok()) << fields.status().ToString();
    const Report report = Follow(*definition, *fields);
    EXPECT_EQ(LinesOf(report), one.found);
    EXPECT_EQ(Check(report).ok(), report.findings.empty());
  }
}

TEST(Privacy, TheErrorNamesStreamAndField) {
  const auto task = ParseJson(
      R"({"fields":{"age":{"class":"local","k":12}},
          "streams":[{"name":"up","source":"v","upload":true}]})");
  const auto definition = flow::DefinitionFromJson(*task);
  ASSERT_TRUE(definition.ok());
  const Status status = Check(Follow(*definition, *FieldsFromJson(*task)));
  EXPECT_EQ(status.code(), Code::kPermissionDenied);
  EXPECT_THAT(status.message(), HasSubstr("stream up: field age carries age, which is local"));
  EXPECT_THAT(status.message(), HasSubstr("min_rows 12 or more"));
}

TEST(Privacy, FieldsAreChecked) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"fields":["age"]})", "fields"},
      {R"({"fields":{"age":"secret"}})", "field age: class \"secret\" is not local or public"},
      {R"({"fields":{"age":{"class":"local","k":1}}})", "field age: k 1 is not from 2"},
      {R"({"fields":{"age":{"klass":"local"}}})", "field age: there is no member \"klass\""},
      {R"({"fields":{"age":3}})", "field age: a class is"},
      {R"({"fields":{"_time_ms":"local"}})", "it leaves with every row"}};
  for (const auto& [text, message] : cases) {
    const auto fields = FieldsFromJson(*ParseJson(text));
    ASSERT_FALSE(fields.ok()) << text;
    EXPECT_THAT(fields.status().message(), HasSubstr(message));
  }
}

}  // namespace
}  // namespace ferry::privacy

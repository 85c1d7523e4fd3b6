#include "pipeline/table/rows.h"

#include <gmock/gmock.h>

namespace ferry::table {
namespace {

using testing::HasSubstr;

Definition Items() {
  return *DefinitionFromJson(*ParseJson(
      R"({"name":"items","key":["shop","item"],"columns":{"shop":"text","item":"int",
          "price":"float","new":"bool","more":"json"},"retention":{"rows":3}})"));
}

Json Read(std::string_view file, std::string_view text) {
  const auto rows = ReadRows(Items(), file, text);
  return rows.ok() ? Json(*rows) : Json(rows.status().ToString());
}

TEST(Rows, JsonLines) {
  EXPECT_EQ(Read("a.jsonl", "{\"shop\":\"a\",\"item\":1}\n\n \r\n{\"shop\":\"b\",\"item\":2}"),
            *ParseJson(R"([{"shop":"a","item":1},{"shop":"b","item":2}])"));
  EXPECT_EQ(Read("a.jsonl", ""), Json::array());
}

TEST(Rows, Csv) {
  const char* const text =
      "item,shop,price,new,more\r\n"
      "1,\"a, \"\"b\"\"\nc\",2.5,true,\"{\"\"x\"\": [1]}\"\n"
      "\n"
      "-2,plain,,false,\n";
  EXPECT_EQ(Read("a.csv", text), *ParseJson(R"([
    {"item":1,"shop":"a, \"b\"\nc","price":2.5,"new":true,"more":{"x":[1]}},
    {"item":-2,"shop":"plain","price":null,"new":false,"more":null}])"));
  EXPECT_EQ(Read("a.csv", "shop,item\nx,1"), *ParseJson(R"([{"shop":"x","item":1}])"));
}

TEST(Rows, ErrorsNameFileAndLine) {
  const auto error = [](std::string_view file, std::string_view text) {
    const Json read = Read(file, text);
    return read.is_string() ? read.get<std::string>() : "no error: " + WriteJson(read);
  };
  const std::string good = "{\"shop\":\"a\",\"item\":1}\n";
  EXPECT_THAT(error("a.jsonl", good + "\n{"), HasSubstr("a.jsonl, line 3"));
  EXPECT_THAT(error("a.jsonl", good + "[1]"), HasSubstr("a.jsonl, line 2"));
  EXPECT_THAT(error("a.jsonl", good + "{\"shop\":\"b\",\"item\":\"1\"}"),
              AllOf(HasSubstr("line 2"), HasSubstr("column item")));
  EXPECT_THAT(error("a.jsonl", good + good),
              AllOf(HasSubstr("line 2"), HasSubstr("stands in line 1")));
  std::string many;
  for (int k = 0; k < 4; ++k) many += "{\"shop\":\"a\",\"item\":" + std::to_string(k) + "}\n";
  EXPECT_THAT(error("a.jsonl", many), AllOf(HasSubstr("line 4"), HasSubstr("keeps 3 rows")));
  EXPECT_THAT(error("a.csv", "shop,item,hue\n"), AllOf(HasSubstr("line 1"), HasSubstr("hue")));
  EXPECT_THAT(error("a.csv", "shop,item\n\"x\ny\",1\nz\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("1 fields for 2 columns")));
  EXPECT_THAT(error("a.csv", "shop,item\nx,two\n"), AllOf(HasSubstr("line 2"), HasSubstr("item")));
  EXPECT_THAT(error("a.csv", "shop,item\n\"x,1\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("quotes")));
  EXPECT_THAT(error("a.csv", "shop,item\n\"x\"\"\n"), HasSubstr("quotes"));
  EXPECT_THAT(error("a.csv", "shop,item\n\"x\"y,1\n"), HasSubstr("quotes"));
  EXPECT_THAT(error("a.csv", "shop,item\n,1\n"), AllOf(HasSubstr("line 2"), HasSubstr("shop")));
  EXPECT_THAT(error("a.csv", "shop,item\n\xff,1\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("UTF-8")));
  EXPECT_THAT(error("a.csv", ""), HasSubstr("a.csv, line 1"));
  EXPECT_THAT(error("a.jsonl", std::string(kMaxRowsFileBytes + 1, '\n')), HasSubstr("limit"));
}

}  // namespace
}  // namespace ferry::table

#include "device-runtime/task/tables/fill_tables.h"

#include <gmock/gmock.h>

#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "common/sys/random.h"

namespace ferry::task {
namespace {

using testing::HasSubstr;

constexpr char kTables[] = R"({"tables":[
    {"name":"own","key":["k"],"columns":{"k":"int"}},
    {"name":"items","key":["item"],"columns":{"item":"int","price":"float"},
     "rows":"items.jsonl"}]})";

// A package with this file, and its definition.
class FilledPackage {
 public:
  explicit FilledPackage(std::string_view rows, const char* version = "1.0.0",
                         const char* file = "items.jsonl") {
    package::Manifest manifest;
    manifest.name = "shop";
    manifest.version = version;
    manifest.task = *ParseJson(kTables);
    bytes_ = *package::WritePackage(manifest, {{file, ToBytes(rows)}});
  }
  Status Fill(store::Outbox& outbox) const {
    const auto package = package::Package::Open(bytes_);
    const auto definition = flow::DefinitionFromJson(package->manifest().task);
    EXPECT_TRUE(definition.ok()) << definition.status().ToString();
    return FillTables(*package, *definition, outbox, 1'000);
  }
  Bytes& bytes() { return bytes_; }

 private:
  Bytes bytes_;
};

class FillTablesTest : public testing::Test {
 protected:
  Json Items() {
    table::Batch batch(outbox_->tables());
    const auto rows = batch.Range("items", {});
    return rows.ok() ? Json(*rows) : Json(rows.status().ToString());
  }
  void Put(const Json& row) {
    table::Batch batch(outbox_->tables());
    ASSERT_TRUE(batch.Put("items", row).ok());
    table::Batch* const batches[] = {&batch};
    ASSERT_TRUE(outbox_->Commit(store::Changes{.tables = batches, .now_ms = 1'000}).ok());
  }
  std::unique_ptr<store::Outbox> outbox_ = *store::OpenOutbox(":memory:", sys::SystemRandom());
};

TEST_F(FillTablesTest, OnceAVersionAndNothingOfTheUsersGoes) {
  const FilledPackage one("{\"item\":1,\"price\":2}\n{\"item\":2,\"price\":3}\n");
  ASSERT_TRUE(one.Fill(*outbox_).ok());
  EXPECT_EQ(Items(), *ParseJson(R"([{"item":1,"price":2.0},{"item":2,"price":3.0}])"));
  Put({{"item", 2}, {"price", 30}});
  Put({{"item", 7}, {"price", 70}});
  ASSERT_TRUE(one.Fill(*outbox_).ok());
  EXPECT_EQ(Items().size(), 3u);
  const FilledPackage two("{\"item\":2,\"price\":4}\n{\"item\":3,\"price\":4}\n", "2.0.0");
  ASSERT_TRUE(two.Fill(*outbox_).ok());
  EXPECT_EQ(Items(), *ParseJson(R"([{"item":2,"price":30.0},{"item":3,"price":4.0},
                                    {"item":7,"price":70.0}])"));
}

TEST_F(FillTablesTest, ErrorsNameFileAndLineAndLeaveTheTable) {
  ASSERT_TRUE(FilledPackage("{\"item\":1}\n").Fill(*outbox_).ok());
  EXPECT_THAT(
      FilledPackage("{\"item\":1}\n{\"item\":\"x\"}").Fill(*outbox_).ToString(),
      AllOf(HasSubstr("package shop"), HasSubstr("items.jsonl, line 2"), HasSubstr("column item")));
  EXPECT_THAT(FilledPackage("{}", "1.0.0", "other.jsonl").Fill(*outbox_).ToString(),
              HasSubstr("no file items.jsonl"));
  FilledPackage damaged("{\"item\":5}\n");
  damaged.bytes()[damaged.bytes().size() - 64] ^= 1;
  EXPECT_EQ(damaged.Fill(*outbox_).code(), Code::kCorruptContent);
  EXPECT_EQ(Items(), *ParseJson(R"([{"item":1,"price":null}])"));
}

}  // namespace
}  // namespace ferry::task

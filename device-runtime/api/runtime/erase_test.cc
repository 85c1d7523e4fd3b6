// What the app asks to be erased is gone from memory and from the disk, and only that.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/writer.h"
#include "device-runtime/api/ferry.hpp"
#include "pipeline/store/outbox.h"

namespace ferry::api {
namespace {

using testing::HasSubstr;

constexpr char kSecretPage[] = "a_page_about_an_illness";

// Counts in a variable of the script, in a table and in a window; waits for a second event.
constexpr char kCountingScript[] = R"(
from ferry import events, tables
seen = []
def on_trigger(matched):
    page = matched[0]["page"]
    seen.append(page)
    row = tables.get("pages", page) or {"page": page, "n": 0}
    tables.put("pages", {"page": page, "n": row["n"] + 1})
    events.emit("visits", {"page": page})
    return {"seen": len(seen), "n": row["n"] + 1}
)";

class EraseTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "ferry_erase_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    package_ = folder_ + "/t.fpk";
    WritePackage();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void WritePackage() {
    package::Manifest manifest;
    manifest.name = "t";
    manifest.version = "1.0.0";
    manifest.task = *ParseJson(R"({"script":"task.py",
      "trigger":{"sequence":[{"event":"enter"},{"event":"exit"}]},
      "tables":[{"name":"pages","key":["page"],"columns":{"page":"text","n":"int"}}],
      "streams":[{"name":"all","source":"visits","upload":true}]})");
    const Status written = package::WritePackageFile(sys::SystemFileSystem(), package_, manifest,
                                                     {{"task.py", AsBytes(kCountingScript)}});
    ASSERT_TRUE(written.ok()) << written.ToString();
  }

  std::unique_ptr<Runtime> Start(bool sealed = false) {
    ferry_options options{};
    options.size = sizeof(options);
    options.threads = 1;
    outbox_ = folder_ + "/state/outbox.db";
    std::filesystem::create_directories(folder_ + "/state");
    options.outbox_path = outbox_.c_str();
    if (sealed)
      options.at_rest_key = [](void*, unsigned char key[32]) -> int {
        std::fill_n(key, 32, uint8_t{9});
        return FERRY_kOk;
      };
    auto runtime = std::make_unique<Runtime>(
        [this](std::string_view json) {
          const std::lock_guard lock(mutex_);
          results_.push_back(std::string(json));
        },
        &options);
    EXPECT_TRUE(runtime->ok()) << Runtime::error();
    EXPECT_TRUE(runtime->OpenTask(package_)) << Runtime::error();
    return runtime;
  }

  static std::string Event(const char* id) {
    return WriteJson({{"id", id}, {"page", kSecretPage}});
  }

  static void Visit(Runtime& runtime) {
    ASSERT_TRUE(runtime.SendDurable(Event("enter"))) << Runtime::error();
    ASSERT_TRUE(runtime.SendDurable(Event("exit")));
    ASSERT_TRUE(runtime.Flush()) << Runtime::error();
  }

  bool OnDisk(std::string_view text) const {
    namespace fs = std::filesystem;
    for (const auto& file : fs::recursive_directory_iterator(folder_ + "/state")) {
      if (!file.is_regular_file()) continue;
      std::ifstream in(file.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (bytes.find(text) != std::string::npos) return true;
    }
    return false;
  }

  std::string LastResult() {
    const std::lock_guard lock(mutex_);
    return results_.empty() ? "" : results_.back();
  }

  std::string folder_, package_, outbox_;
  std::mutex mutex_;
  std::vector<std::string> results_;
};

TEST_F(EraseTest, AllThatIsKnownGoesAndTheTaskGoesOn) {
  auto runtime = Start();
  Visit(*runtime);
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":2,"seen":2})"));
  ASSERT_TRUE(runtime->SendDurable(Event("enter")));  // half a match
  ASSERT_TRUE(runtime->Flush());
  EXPECT_TRUE(OnDisk(kSecretPage));
  const auto receipt = ParseJson(runtime->EraseData());
  ASSERT_TRUE(receipt.ok()) << Runtime::error();
  const Json& device = (*receipt)["device"];
  EXPECT_EQ((*receipt)["number"], 1);
  EXPECT_EQ((*receipt)["asked"], "app");
  EXPECT_EQ(device["events"], 5);
  EXPECT_EQ(device["records"], 2);
  EXPECT_EQ(device["table_rows"], 1);
  EXPECT_GT(device["state_pairs"], 0);
  EXPECT_FALSE(OnDisk(kSecretPage));
  EXPECT_FALSE((*receipt).dump().empty());
  EXPECT_EQ((*receipt).dump().find(kSecretPage), std::string::npos);

  // The half match is forgotten, the script's variables and the table begin anew.
  const size_t before = results_.size();
  ASSERT_TRUE(runtime->SendDurable(Event("exit")));
  ASSERT_TRUE(runtime->Flush());
  EXPECT_EQ(results_.size(), before);
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":1,"seen":1})"));
  runtime = nullptr;
  runtime = Start();
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":2,"seen":1})"));
}

TEST_F(EraseTest, ASealedStateShowsNothingAndItsKeyGoes) {
  auto runtime = Start(true);
  Visit(*runtime);
  EXPECT_FALSE(OnDisk(kSecretPage));
  const auto receipt = ParseJson(runtime->EraseData());
  ASSERT_TRUE(receipt.ok()) << Runtime::error();
  EXPECT_EQ((*receipt)["device"]["key_destroyed"], true);
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":1,"seen":1})"));
  EXPECT_FALSE(OnDisk(kSecretPage));
}

// A process that was killed after the wish was noted does what is left before it runs anything.
TEST_F(EraseTest, AKilledProcessFinishesIt) {
  {
    auto runtime = Start();
    Visit(*runtime);
    ASSERT_TRUE(runtime->SendDurable(Event("enter")));
    ASSERT_TRUE(runtime->Flush());
  }
  {
    auto outbox = store::OpenOutbox(outbox_, sys::SystemRandom());
    ASSERT_TRUE(outbox.ok());
    ASSERT_TRUE((*outbox)->BeginErase("app", 5).ok());
  }
  EXPECT_TRUE(OnDisk(kSecretPage));
  auto runtime = Start();
  EXPECT_FALSE(OnDisk(kSecretPage));
  const size_t before = results_.size();
  ASSERT_TRUE(runtime->SendDurable(Event("exit")));
  ASSERT_TRUE(runtime->Flush());
  EXPECT_EQ(results_.size(), before);
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":1,"seen":1})"));
  runtime = nullptr;
  auto outbox = store::OpenOutbox(outbox_, sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  EXPECT_THAT((*outbox)->last_erasure().device, HasSubstr("\"events\":3"));
}

TEST_F(EraseTest, WithoutConsentRowsAreWithheldAndTheRestGoesOn) {
  auto runtime = Start();
  Visit(*runtime);
  ASSERT_TRUE(runtime->SetConsent(false)) << Runtime::error();
  Visit(*runtime);
  EXPECT_THAT(LastResult(), HasSubstr(R"("result":{"n":2,"seen":2})"));
  auto status = ParseJson(runtime->StatusJson());
  EXPECT_EQ((*status)["consent"], false);
  EXPECT_EQ((*status)["withheld"], 2);
  EXPECT_EQ((*status)["tasks"]["t"]["rows_uploaded"], 1);
  runtime = nullptr;
  runtime = Start();
  Visit(*runtime);
  runtime = nullptr;
  auto outbox = store::OpenOutbox(outbox_, sys::SystemRandom());
  ASSERT_TRUE(outbox.ok());
  EXPECT_EQ((*outbox)->stats().waiting, 0);
  EXPECT_EQ((*outbox)->stats().withheld, 3);
}

TEST_F(EraseTest, WithoutAStateThereIsNoConsentToKeep) {
  Runtime runtime;
  EXPECT_FALSE(runtime.SetConsent(false));
  EXPECT_EQ(Runtime::code(), FERRY_kFailedPrecondition);
  EXPECT_THAT(runtime.EraseData(), HasSubstr("\"number\":0"));
}

}  // namespace
}  // namespace ferry::api

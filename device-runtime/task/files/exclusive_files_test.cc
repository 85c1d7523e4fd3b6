// What a script reads by `ferry.files`: files for this device alone before those of the package.
#include "device-runtime/task/files/exclusive_files.h"

#include <gtest/gtest.h>

#include "common/base/json.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/writer.h"
#include "common/sys/sim/filesystem.h"
#include "device-runtime/task/host.h"
#include "device-runtime/task/outcome.h"
#include "pipeline/event/event.h"

namespace ferry::task {
namespace {

constexpr std::string_view kReadScript = R"py(
from ferry import files

def on_trigger(matched):
    return {"names": files.names(), "gain": files.read("gain").decode(),
            "labels": files.read("data/labels.txt").decode(), "other": files.exists("other")}
)py";

class OwnFiles : public testing::Test {
 protected:
  void SetUp() override {
    package::Manifest manifest;
    manifest.name = "t";
    manifest.version = "1.0.0";
    manifest.task = {{"script", "task.py"}, {"trigger", {{"sequence", {{{"event", "do"}}}}}}};
    ASSERT_TRUE(package::WritePackageFile(fs, "/t.fpk", manifest,
                                          {{"data/labels.txt", AsBytes("zero one")},
                                           {"gain", AsBytes("shared")},
                                           {"task.py", AsBytes(kReadScript)}})
                    .ok());
    ASSERT_TRUE(fs.MakeDirectories("/own").ok());
  }
  Json RunWith(const std::string& directory, const std::string& personal = "") {
    HostOptions options;
    auto files = OpenOwnFiles(fs, {directory, personal});
    EXPECT_TRUE(files.ok()) << files.status().ToString();
    options.exclusive = *files;
    auto host = TaskHost::LoadFile(fs, "/t.fpk", options);
    EXPECT_TRUE(host.ok()) << host.status().ToString();
    if (!host.ok()) return Json();
    // What the directory holds by then is another version's.
    EXPECT_TRUE(fs.RemoveTree("/own").ok());
    event::Event event;
    event.id = "do";
    const EventOutcome outcome = (*host)->OnEvent(event);
    EXPECT_TRUE(outcome.error.ok()) << outcome.error.ToString();
    EXPECT_EQ((*host)->ReadFile("gain").ok(), true);
    EXPECT_EQ((*host)->ReadFile("other").code(), Code::kNotFound);
    return outcome.result;
  }

  sys::SimFileSystem fs;
};

TEST_F(OwnFiles, AreReadBeforeThoseOfThePackage) {
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own/gain", AsBytes("mine")).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own/.gain.new", AsBytes("half")).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own/only", AsBytes("")).ok());
  const Json result = RunWith("/own");
  EXPECT_EQ(result["gain"], "mine");
  EXPECT_EQ(result["labels"], "zero one");
  EXPECT_EQ(result["names"], Json::array({"data/labels.txt", "gain", "only", "task.py"}));
  EXPECT_EQ(result["other"], false);
}

TEST_F(OwnFiles, WithoutAnyThePackageHasItsOwn) {
  EXPECT_EQ(RunWith("")["gain"], "shared");
  EXPECT_EQ(RunWith("/not/there")["gain"], "shared");
}

TEST_F(OwnFiles, AreLimited) {
  for (size_t i = 0; i <= kMaxExclusiveFiles; ++i)
    ASSERT_TRUE(sys::WriteFileAtomically(fs, fmt::format("/own/{}", i), AsBytes("x")).ok());
  EXPECT_EQ(OpenOwnFiles(fs, {"/own", ""}).code(), Code::kLimitExceeded);
  EXPECT_EQ(OpenOwnFiles(fs, {"", "/own"}).code(), Code::kLimitExceeded);
}

// A name of the package or of an exclusive file stays what offline keys signed.
TEST_F(OwnFiles, PersonalOnesShadowNothing) {
  ASSERT_TRUE(fs.MakeDirectories("/mine").ok());
  for (const char* name : {"gain", "only", "task.py", "data"})
    ASSERT_TRUE(sys::WriteFileAtomically(fs, std::string("/mine/") + name, AsBytes("added")).ok());
  EXPECT_EQ(RunWith("", "/mine")["gain"], "shared");
  ASSERT_TRUE(fs.MakeDirectories("/own").ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own/only", AsBytes("signed")).ok());
  const auto files = OpenOwnFiles(fs, {"/own", "/mine"}).value();
  auto package = package::Package::OpenFile(fs, "/t.fpk").value();
  const auto read = [&](const char* name) {
    return std::string(AsText(FindFile(package, files.get(), name).value()));
  };
  EXPECT_EQ(read("gain"), "shared");
  EXPECT_EQ(read("only"), "signed");
  EXPECT_EQ(read("data"), "added");
  EXPECT_EQ(NamesOfFiles(package, files.get()),
            (std::vector<std::string>{"data", "data/labels.txt", "gain", "only", "task.py"}));
}

}  // namespace
}  // namespace ferry::task

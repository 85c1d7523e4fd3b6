// The vectors of ../shared/testdata/tokenizers.tar.xz, unpacked for the tests that use them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "device-runtime/llm/testing/shared.h"

namespace ferry::llm::testing {

class TokenizerArchive : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string archive = SharedPath("testdata/tokenizers.tar.xz");
    if (!sys::Exists(sys::SystemFileSystem(), archive)) return;
    char name[] = "/tmp/ferry-tokenizers-XXXXXX";
    folder_ = mkdtemp(name);
    const std::string command = "tar -xJf '" + archive + "' -C '" + folder_ + "'";
    if (std::system(command.c_str()) != 0) ADD_FAILURE() << command;
  }
  static void TearDownTestSuite() {
    if (!folder_.empty()) (void)sys::SystemFileSystem().RemoveTree(folder_);
    folder_.clear();
  }
  void SetUp() override {
    if (folder_.empty()) {
      GTEST_SKIP() << "SKIPPED: " << SharedPath("testdata/tokenizers.tar.xz") << " is absent";
    }
  }
  static std::string Path(const std::string& name) { return folder_ + "/tokenizers/" + name; }
  static std::string Text(const std::string& name) {
    const auto bytes = sys::ReadFile(sys::SystemFileSystem(), Path(name));
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    return bytes.ok() ? std::string(AsText(*bytes)) : std::string();
  }

 private:
  inline static std::string folder_;
};

}  // namespace ferry::llm::testing

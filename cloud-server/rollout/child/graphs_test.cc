#include "cloud-server/rollout/child/graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cloud-server/registry/test_publisher.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// The child is this program (child/acts_test.cc), and its package a list of acts.
class GraphsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ferry_graphs_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.program = "/proc/self/exe";
    options_.scratch_directory = folder_ + "/scratch";
    options_.max_memory = 0;  // sanitizers reserve more than any limit
  }
  void TearDown() override { EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok()); }
  Result<std::string> Run(const std::string& acts) {
    const std::string package = folder_ + "/package.fpk";
    EXPECT_TRUE(
        sys::WriteFileAtomically(sys::SystemFileSystem(), package, AsBytes(acts), 0600).ok());
    return RunGraphChild(options_, package, "");
  }
  std::string folder_;
  ChildOptions options_;
};

TEST_F(GraphsTest, AGraphComesAsItIs) {
  const auto text = Run("out {\"kind\":\"model_graph\",\"nodes\":[]}");
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_THAT(*text, HasSubstr("\"nodes\":[]"));
}

TEST_F(GraphsTest, WhatTheChildSaysIsWrongIsSaid) {
  const auto none =
      Run("out {\"error\":{\"name\":\"not_found\",\"text\":\"it has no model\"}}\nexit 1");
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_EQ(none.status().message(), "it has no model");
  const auto bad = Run("out {\"error\":{\"name\":\"bad_model\",\"text\":\"a.fm: cut\"}}\nexit 1");
  EXPECT_EQ(bad.code(), Code::kFailedPrecondition);
  EXPECT_EQ(bad.status().message(), "a.fm: cut");
}

TEST_F(GraphsTest, OnlyAGraphIsHandedOn) {
  for (const char* acts : {"out []", "out nonsense", "exit 0", "out {\"kind\":\"other\"}",
                           "out {\"kind\":\"model_graph\"}\nexit 1", "err it broke\nexit 4"})
    EXPECT_EQ(Run(acts).code(), Code::kFailedPrecondition) << acts;
  EXPECT_THAT(Run("err it broke\nexit 4").status().message(), HasSubstr("it broke"));
}

TEST_F(GraphsTest, AVersionIsReadOnceAndLeavesNothing) {
  TestServer server;
  TestPublisher publisher(server);
  ASSERT_TRUE(server.registry->PutRoot(publisher.RootDocument()).ok());
  publisher.Add("1.0.0", 1, "out {\"kind\":\"model_graph\",\"name\":\"one\"}");
  ASSERT_TRUE(server.registry->Publish(publisher.Make()).ok());
  PackageRow row;
  ASSERT_TRUE(server.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(row, tx.packages().Get("digits", "1.0.0"));
                    return OkStatus();
                  })
                  .ok());
  // The child reads the disk: the content goes there from the file system of the test's own.
  auto blobs = OpenDirectoryBlobStore(sys::SystemFileSystem(), folder_ + "/blobs", server.random);
  ASSERT_TRUE(blobs.ok());
  const auto& entry = publisher.targets.entries.at(trust::FullPath("digits", "1.0.0"));
  const std::string name = ToHex(entry.sha256);
  const auto sealed = server.blobs->Open(name);
  ASSERT_TRUE(sealed.ok());
  Bytes bytes(entry.length);
  ASSERT_EQ(*(*sealed)->ReadAt(0, bytes), bytes.size());
  ASSERT_TRUE((*blobs)->PutBytes(name, bytes).ok());
  Registry::Options registry_options;
  registry_options.store = server.store.get();
  registry_options.blobs = blobs->get();
  registry_options.clock = &server.clock;
  registry_options.random = &server.random;
  registry_options.secrets = &server.secrets;
  Registry registry(registry_options);

  const auto graphs = MakeChildGraphs(registry, sys::SystemFileSystem(), options_);
  const auto first = graphs->Read(row, "");
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_THAT(**first, HasSubstr("\"one\""));
  EXPECT_TRUE(sys::SystemFileSystem().List(options_.scratch_directory)->empty());
  // Kept: it needs the content no more.
  ASSERT_TRUE((*blobs)->Remove(name).ok());
  EXPECT_EQ((*graphs->Read(row, "")).get(), first->get());
  EXPECT_EQ(graphs->Read(row, "b.fm").code(), Code::kFailedPrecondition);
  row.plain_length = kMaxGraphPackage + 1;
  row.plain_sha256 = "other";
  EXPECT_EQ(graphs->Read(row, "").code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::server

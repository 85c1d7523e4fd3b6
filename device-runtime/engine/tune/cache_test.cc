#include "device-runtime/engine/tune/cache.h"

#include <gtest/gtest.h>

#include "common/sys/sim/filesystem.h"

namespace ferry::engine {
namespace {

constexpr const char* kHere = "x86-64 Test 1-2-3";

TuningCache Two() {
  TuningCache cache(kHere);
  cache.Put({"avx2 t1 conv a", "winograd4 6x2 512 192K", 12.5});
  cache.Put({"avx2 t2 matmul b", "packed", 3});
  return cache;
}

ByteView View(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST(TuningCache, RoundTrip) {
  const std::string text = Two().Print();
  const auto read = TuningCache::Parse(text, kHere);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->size(), 2u);
  ASSERT_NE(read->Find("avx2 t1 conv a"), nullptr);
  EXPECT_EQ(read->Find("avx2 t1 conv a")->choice, "winograd4 6x2 512 192K");
  EXPECT_EQ(read->Find("avx2 t1 conv a")->us, 12.5);
  EXPECT_EQ(read->Find("avx2 t1 conv"), nullptr);
  EXPECT_EQ(read->Print(), text);
}

TEST(TuningCache, NoCutAndNoFlippedBitPasses) {
  const std::string text = Two().Print();
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(TuningCache::Parse(text.substr(0, size), kHere).ok()) << size;
  }
  for (size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] ^= 1;
    EXPECT_FALSE(TuningCache::Parse(other, kHere).ok()) << at;
  }
  EXPECT_FALSE(TuningCache::Parse(text + "more\n", kHere).ok());
}

TEST(TuningCache, OtherVersionsAndDevicesAreTold) {
  std::string text = Two().Print();
  EXPECT_EQ(TuningCache::Parse(text, "aarch64").code(), Code::kInvalidArgument);
  text.replace(text.find("tuning 1"), 8, "tuning 2");
  EXPECT_EQ(TuningCache::Parse(text, kHere).code(), Code::kUnsupported);
  EXPECT_EQ(TuningCache::Parse("something else\n", kHere).code(), Code::kMalformed);
  EXPECT_EQ(TuningCache::Parse(std::string(kMaxTuningBytes + 1, 'x'), kHere).code(),
            Code::kMalformed);
}

TEST(TuningCache, StaysSmall) {
  TuningCache cache(kHere);
  for (size_t i = 0; i < kMaxFindings + 10; ++i) cache.Put({"k" + std::to_string(i), "c", 1});
  EXPECT_EQ(cache.size(), kMaxFindings);
  EXPECT_EQ(cache.Find("k9"), nullptr);  // the oldest went
  EXPECT_NE(cache.Find("k10"), nullptr);
  EXPECT_TRUE(TuningCache::Parse(cache.Print(), kHere).ok());
  cache.Put({"tab\there", "c", 1});
  cache.Put({std::string(kMaxFindingText + 1, 'k'), "c", 1});
  cache.Put({"k", "", 1});
  EXPECT_EQ(cache.size(), kMaxFindings);
  TuningCache other(kHere);
  other.Put({"k20", "old", 9});
  other.Put({"another", "c", 1});
  cache.Merge(other);
  EXPECT_EQ(cache.size(), kMaxFindings);
  EXPECT_EQ(cache.Find("k20")->choice, "c");
}

TEST(TuningCache, TwoWritersKeepBoth) {
  sys::SimFileSystem disk;
  TuningCache a(kHere), b(kHere);
  a.Put({"a", "one", 1});
  b.Put({"b", "two", 2});
  ASSERT_TRUE(SaveTuning(disk, "/tuning", kHere, a).ok());
  ASSERT_TRUE(SaveTuning(disk, "/tuning", kHere, b).ok());
  bool is_foreign = true;
  const TuningCache both = LoadTuning(disk, "/tuning", kHere, &is_foreign);
  EXPECT_FALSE(is_foreign);
  EXPECT_EQ(both.size(), 2u);
}

TEST(TuningCache, DamageIsReplacedAndForeignFindingsStay) {
  sys::SimFileSystem disk;
  bool is_foreign = true;
  EXPECT_EQ(LoadTuning(disk, "/none", kHere, &is_foreign).size(), 0u);
  EXPECT_FALSE(is_foreign);
  TuningCache cache = Two();
  ASSERT_TRUE(sys::WriteFileAtomically(disk, "/damaged", View("ferry tuning 1\nnonsense")).ok());
  EXPECT_EQ(LoadTuning(disk, "/damaged", kHere, &is_foreign).size(), 0u);
  EXPECT_TRUE(SaveTuning(disk, "/damaged", kHere, cache).ok());
  EXPECT_EQ(LoadTuning(disk, "/damaged", kHere, &is_foreign).size(), 2u);
  TuningCache far("aarch64");
  far.Put({"neon t1 conv a", "indirect", 4});
  ASSERT_TRUE(SaveTuning(disk, "/far", "aarch64", far).ok());
  EXPECT_EQ(LoadTuning(disk, "/far", kHere, &is_foreign).size(), 0u);
  EXPECT_TRUE(is_foreign);
  EXPECT_EQ(SaveTuning(disk, "/far", kHere, cache).code(), Code::kAlreadyExists);
  EXPECT_EQ(LoadTuning(disk, "/far", "aarch64", &is_foreign).size(), 1u);
}

}  // namespace
}  // namespace ferry::engine

#include "common/sys/files/scratch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace ferry::sys {
namespace {

// Of /proc/self/smaps: what the mapping that holds `at` has in memory, in KiB.
int64_t ResidentKib(const void* at) {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(maps, line)) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
      const auto address = reinterpret_cast<unsigned long long>(at);
      inside = address >= begin && address < end;
    } else if (inside && line.starts_with("Rss:")) {
      return std::atoll(line.c_str() + 4);
    }
  }
  return -1;
}

TEST(ScratchFile, KeepsWhatLeftMemoryAndHasNoName) {
  const std::string folder = ::testing::TempDir() + "ferry_scratch";
  std::filesystem::create_directories(folder);
  auto file = ScratchFile::Create(folder);
  if (file.code() == Code::kUnsupported) GTEST_SKIP() << file.status().ToString();
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  constexpr size_t kSize = (1 << 20) + 1;
  const auto first = (*file)->Extend(kSize);
  const auto second = (*file)->Extend(kSize);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_GE(first->size(), kSize);
  for (size_t i = 0; i < kSize; ++i) ASSERT_EQ((*first)[i], 0) << i;
  std::memset(first->data(), 0xa5, first->size());
  std::memset(second->data(), 0x5a, second->size());
  EXPECT_GE(ResidentKib(first->data() + kSize / 2), 1024);
  (*file)->Release(*first);
  (*file)->Release(*second);
  EXPECT_EQ(ResidentKib(first->data() + kSize / 2), 0);
  for (size_t i = 0; i < kSize; ++i) {
    ASSERT_EQ((*first)[i], 0xa5) << i;
    ASSERT_EQ((*second)[i], 0x5a) << i;
  }
  std::filesystem::remove_all(folder);
}

TEST(ScratchFile, AFolderThatIsNotThereIsNamed) {
  const auto file = ScratchFile::Create("/nowhere/at/all");
  EXPECT_EQ(file.code(), Code::kNotFound);
  EXPECT_THAT(file.status().message(), ::testing::HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace ferry::sys

// Test data from ../shared, unpacked into the build folder. For tests.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include "common/sys/filesystem.h"

namespace ferry::conformance {

inline sys::FileSystem& Disk() {
  return sys::SystemFileSystem();
}

inline std::string DataFolder() {
  const char* data = std::getenv("FERRY_TESTDATA");
  if (data != nullptr && *data != '\0') return data;
  const char* shared = std::getenv("FERRY_SHARED");
  if (shared != nullptr && *shared != '\0') return std::string(shared) + "/testdata";
  return std::string(FERRY_SOURCE_DIR) + "/../shared/testdata";
}

// NAME.tar.xz, unpacked once into a folder of the build: tests are processes that run side by
// side. Empty where there is no archive.
inline std::string Unpacked(const std::string& name) {
  const std::string archive = sys::JoinPath(DataFolder(), name + ".tar.xz");
  const Result<sys::FileInfo> info = Disk().Stat(archive);
  if (!info.ok()) return "";
  const std::string root = std::string(FERRY_BINARY_DIR) + "/testdata";
  EXPECT_TRUE(Disk().MakeDirectories(root).ok());
  const int lock = open((root + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  EXPECT_GE(lock, 0);
  EXPECT_EQ(flock(lock, LOCK_EX), 0);
  const std::string folder = fmt::format("{}/{}-{}", root, name, info->size);
  if (!sys::Exists(Disk(), folder)) {
    const std::string half = folder + ".half";
    EXPECT_TRUE(Disk().RemoveTree(half).ok());
    EXPECT_TRUE(Disk().MakeDirectories(half).ok());
    const std::string command = fmt::format("tar -xJf '{}' -C '{}'", archive, half);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    EXPECT_TRUE(Disk().Rename(half, folder).ok());
  }
  close(lock);
  return folder;
}

}  // namespace ferry::conformance

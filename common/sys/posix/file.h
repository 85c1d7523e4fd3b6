// Open files on the machine's disk. For posix/ only.
#pragma once

#include "common/sys/filesystem.h"

namespace ferry::sys {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int get() const { return fd_; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};

Result<Descriptor> OpenDescriptor(const std::string& path, int flags, int permissions,
                                  const char* what);
std::unique_ptr<WritableFile> MakePosixWritable(Descriptor fd, std::string path);
std::unique_ptr<ReadableFile> MakePosixReadable(Descriptor fd, std::string path);
Result<std::unique_ptr<MappedFile>> MapPosix(const std::string& path);

}  // namespace ferry::sys

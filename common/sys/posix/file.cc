#include "common/sys/posix/file.h"

#include "common/sys/posix/map_descriptor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "common/sys/pages.h"
#include "common/sys/posix/disk_limit.h"
#include "common/sys/posix/error.h"

namespace ferry::sys {
namespace {

constexpr size_t kMaxOneCall = 1 << 30;  // read and write take less than 2 GiB at once

class PosixWritable : public WritableFile {
 public:
  PosixWritable(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status Append(ByteView bytes) override {
    if (fd_.get() < 0) return Status::Of(Code::kIo, "write {}: it is closed", path_);
    FERRY_TRY(CountWritten(bytes.size(), path_));
    while (!bytes.empty()) {
      const ssize_t put = write(fd_.get(), bytes.data(), std::min(bytes.size(), kMaxOneCall));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return StatusOfErrno(errno, "write", path_);
      bytes = bytes.subspan(static_cast<size_t>(put));
    }
    return OkStatus();
  }

  Status Sync() override {
    if (fd_.get() < 0) return Status::Of(Code::kIo, "fsync {}: it is closed", path_);
    return fsync(fd_.get()) == 0 ? OkStatus() : StatusOfErrno(errno, "fsync", path_);
  }

  Status Close() override {
    const int fd = fd_.Release();
    if (fd < 0 || close(fd) == 0 || errno == EINTR) return OkStatus();
    return StatusOfErrno(errno, "close", path_);
  }

 private:
  Descriptor fd_;
  std::string path_;
};

class PosixReadable : public ReadableFile {
 public:
  PosixReadable(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    if (offset > uint64_t{INT64_MAX}) return size_t{0};
    size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = pread(fd_.get(), out.data() + done,
                                std::min(out.size() - done, kMaxOneCall), offset + done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return StatusOfErrno(errno, "read", path_);
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

  Result<uint64_t> Size() const override {
    struct stat info;
    if (fstat(fd_.get(), &info) != 0) return StatusOfErrno(errno, "stat", path_);
    return static_cast<uint64_t>(info.st_size);
  }

 private:
  Descriptor fd_;
  std::string path_;
};

// The mappings alive, by address: what may be given back to the page cache. ORDER: a leaf.
struct Mappings {
  std::mutex mutex;
  std::map<const uint8_t*, size_t> sizes;
};
Mappings& AllMappings() {
  static Mappings& all = *new Mappings();
  return all;
}

class PosixMapped : public MappedFile {
 public:
  // `skip` bytes at the start are mapped and not shown.
  PosixMapped(void* at, size_t size, size_t skip = 0) : at_(at), size_(size), skip_(skip) {
    if (at_ == nullptr) return;
    const std::lock_guard lock(AllMappings().mutex);
    AllMappings().sizes[static_cast<const uint8_t*>(at_)] = size_;
  }
  ~PosixMapped() override {
    if (at_ == nullptr) return;
    {
      const std::lock_guard lock(AllMappings().mutex);
      AllMappings().sizes.erase(static_cast<const uint8_t*>(at_));
    }
    munmap(at_, size_);
  }
  ByteView bytes() const override {
    if (at_ == nullptr) return {};
    return {static_cast<const uint8_t*>(at_) + skip_, size_ - skip_};
  }

 private:
  void* at_;
  size_t size_;
  size_t skip_;
};

}  // namespace

Result<std::unique_ptr<MappedFile>> MapDescriptor(int descriptor, uint64_t offset,
                                                  uint64_t length) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return StatusOfErrno(errno, "read the size of", "the file");
  const auto size = static_cast<uint64_t>(info.st_size);
  if (offset > size || length > size - offset) {
    return Status::Of(Code::kOutOfRange, "{} bytes from {} on, the file has {}", length, offset,
                      size);
  }
  if (length == 0) length = size - offset;
  if (length == 0) return std::unique_ptr<MappedFile>(std::make_unique<PosixMapped>(nullptr, 0));
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t skip = offset % page;
  void* at = mmap(nullptr, length + skip, PROT_READ, MAP_PRIVATE, descriptor,
                  static_cast<off_t>(offset - skip));
  if (at == MAP_FAILED) return StatusOfErrno(errno, "map", "the file");
  return std::unique_ptr<MappedFile>(std::make_unique<PosixMapped>(at, length + skip, skip));
}

void FetchMapped(ByteView bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(bytes.data()) / page * page;
  const auto last = reinterpret_cast<uintptr_t>(bytes.data() + bytes.size());
  // Refusal is no error: reading fetches them.
  if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_WILLNEED);
}

void ReleaseMapped(ByteView bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto last = reinterpret_cast<uintptr_t>(bytes.data() + bytes.size()) / page * page;
  if (first >= last) return;
  Mappings& all = AllMappings();
  const std::lock_guard lock(all.mutex);  // the mapping stays while its pages go
  auto after = all.sizes.upper_bound(bytes.data());
  if (after == all.sizes.begin()) return;
  const auto& [begin, size] = *std::prev(after);
  if (bytes.data() + bytes.size() > begin + size) return;
  (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void PreferLargePages([[maybe_unused]] void* data, [[maybe_unused]] size_t size) {
#if defined(MADV_HUGEPAGE)
  constexpr uintptr_t kLargePage = 2u << 20;
  const auto at = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (at + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t last = (at + size) / kLargePage * kLargePage;
  // Refusal is no error: pages of the usual size do.
  if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<Descriptor> OpenDescriptor(const std::string& path, int flags, int permissions,
                                  const char* what) {
  int fd;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC, permissions);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return StatusOfPath(errno, what, path);
  return Descriptor(fd);
}

std::unique_ptr<WritableFile> MakePosixWritable(Descriptor fd, std::string path) {
  return std::make_unique<PosixWritable>(std::move(fd), std::move(path));
}

std::unique_ptr<ReadableFile> MakePosixReadable(Descriptor fd, std::string path) {
  return std::make_unique<PosixReadable>(std::move(fd), std::move(path));
}

Result<std::unique_ptr<MappedFile>> MapPosix(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(Descriptor fd, OpenDescriptor(path, O_RDONLY, 0, "read"));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return StatusOfErrno(errno, "stat", path);
  if (!S_ISREG(info.st_mode)) return Status::Of(Code::kIo, "{} is not a file", path);
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::unique_ptr<MappedFile>(new PosixMapped(nullptr, 0));
  void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (at == MAP_FAILED) return StatusOfErrno(errno, "map", path);
  return std::unique_ptr<MappedFile>(new PosixMapped(at, size));
}

}  // namespace ferry::sys

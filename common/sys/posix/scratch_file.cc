#include "common/sys/files/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/vfs.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/sys/posix/disk_limit.h"
#include "common/sys/posix/error.h"
#include "common/sys/posix/file.h"

namespace ferry::sys {
namespace {

constexpr mode_t kOwnerOnly = 0600;

size_t WholePages(size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

// Whether files of this file system lie in memory, so that nothing is gained by one.
bool LiesInMemory([[maybe_unused]] int descriptor) {
#if defined(__linux__)
  // Source: <linux/magic.h>.
  constexpr auto kTmpfs = 0x01021994u;
  constexpr auto kRamfs = 0x858458f6u;
  struct statfs info;
  if (fstatfs(descriptor, &info) != 0) return false;
  const auto type = static_cast<uint32_t>(info.f_type);
  return type == kTmpfs || type == kRamfs;
#else
  return false;
#endif
}

// A file without a name, where the file system has such, else one whose name goes at once.
Result<Descriptor> OpenNameless(const std::string& folder) {
#if defined(O_TMPFILE)
  const int opened = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
  if (opened >= 0) return Descriptor(opened);
#endif
  std::string name = folder + "/.ferry-scratch-XXXXXX";
  const int made = mkostemp(name.data(), O_CLOEXEC);
  if (made < 0) return StatusOfErrno(errno, "make a scratch file in", folder);
  unlink(name.c_str());
  return Descriptor(made);
}

class PosixScratch final : public ScratchFile {
 public:
  PosixScratch(Descriptor fd, std::string folder)
      : fd_(std::move(fd)), folder_(std::move(folder)) {}
  ~PosixScratch() override {
    for (const auto& piece : pieces_) munmap(piece.data(), piece.size());
  }

  Result<std::span<uint8_t>> Extend(size_t size) override {
    size = WholePages(size);
    FERRY_TRY(CountWritten(size, folder_));
    const auto begin = static_cast<off_t>(size_);
    // Blocks that are not there when a page is written back would end the process.
    if (const int error = posix_fallocate(fd_.get(), begin, static_cast<off_t>(size)); error != 0) {
      return StatusOfErrno(error, "extend a scratch file in", folder_);
    }
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), begin);
    if (at == MAP_FAILED) return StatusOfErrno(errno, "map a scratch file in", folder_);
    size_ += size;
    return pieces_.emplace_back(static_cast<uint8_t*>(at), size);
  }

  void Release(ByteView bytes) const override {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = (reinterpret_cast<uintptr_t>(bytes.data()) + page - 1) / page * page;
    const auto last = reinterpret_cast<uintptr_t>(bytes.data() + bytes.size()) / page * page;
    if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }

 private:
  Descriptor fd_;
  const std::string folder_;
  size_t size_ = 0;
  std::vector<std::span<uint8_t>> pieces_;
};

}  // namespace

Result<std::unique_ptr<ScratchFile>> ScratchFile::Create(const std::string& folder) {
  FERRY_ASSIGN_OR_RETURN(Descriptor fd, OpenNameless(folder));
  if (LiesInMemory(fd.get())) {
    return Status::Of(Code::kUnsupported, "files in {} lie in memory; name a folder on a disk",
                      folder);
  }
  return std::unique_ptr<ScratchFile>(std::make_unique<PosixScratch>(std::move(fd), folder));
}

std::string ScratchFolder() {
  const char* const named = std::getenv("TMPDIR");
  // Source: Filesystem Hierarchy Standard 3.0, section 5.15; /tmp may lie in memory.
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

}  // namespace ferry::sys

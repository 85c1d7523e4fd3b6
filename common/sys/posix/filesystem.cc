#include "common/sys/filesystem.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "common/sys/no_folder.h"
#include "common/sys/posix/error.h"
#include "common/sys/posix/file.h"

namespace ferry::sys {
namespace {

class PosixFileSystem : public FileSystem {
 public:
  Result<std::unique_ptr<WritableFile>> OpenForWrite(const std::string& path, WriteMode mode,
                                                     int permissions) override {
    int flags = O_WRONLY | O_CREAT;
    if (mode == WriteMode::kTruncate) flags |= O_TRUNC;
    if (mode == WriteMode::kAppend) flags |= O_APPEND;
    if (mode == WriteMode::kMustBeNew) flags |= O_EXCL;
    auto fd = OpenDescriptor(path, flags, permissions, "write");
    if (fd.code() == Code::kNotFound) return NoFolderFor(path);
    if (!fd.ok()) return fd.status();
    return MakePosixWritable(std::move(*fd), path);
  }

  Result<std::unique_ptr<ReadableFile>> OpenForRead(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(Descriptor fd, OpenDescriptor(path, O_RDONLY, 0, "read"));
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return StatusOfErrno(errno, "stat", path);
    if (S_ISDIR(info.st_mode)) return Status::Of(Code::kIo, "{} is a folder, not a file", path);
    return MakePosixReadable(std::move(fd), path);
  }

  Result<std::unique_ptr<MappedFile>> Map(const std::string& path) override {
    return MapPosix(path);
  }

  Result<FileInfo> Stat(const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return StatusOfPath(errno, "stat", path);
    const bool directory = S_ISDIR(info.st_mode);
    const auto nanoseconds = [](const timespec& time) {
      return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
    };
    return FileInfo{directory,
                    directory ? 0 : static_cast<uint64_t>(info.st_size),
                    static_cast<int>(info.st_mode & 0777),
                    {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino),
                     nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)}};
  }

  Result<std::vector<std::string>> List(const std::string& directory) override {
    std::error_code error;
    std::vector<std::string> names;
    std::filesystem::directory_iterator at(directory, error), end;
    for (; !error && at != end; at.increment(error)) {
      names.push_back(at->path().filename().string());
    }
    if (error) return StatusOfPath(error.value(), "list", directory);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status MakeDirectories(const std::string& path) override {
    if (mkdir(path.c_str(), 0700) == 0) return OkStatus();
    const int error = errno;
    if (error == EEXIST) {
      FERRY_ASSIGN_OR_RETURN(const FileInfo info, Stat(path));
      return info.is_directory
                 ? OkStatus()
                 : Status::Of(Code::kAlreadyExists, "mkdir {}: a file is there", path);
    }
    const std::string parent = ParentPath(path);
    if (error != ENOENT || parent == path) return StatusOfErrno(error, "mkdir", path);
    FERRY_TRY(MakeDirectories(parent));
    if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return OkStatus();
    return StatusOfErrno(errno, "mkdir", path);
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (rename(from.c_str(), to.c_str()) == 0) return OkStatus();
    return StatusOfErrno(errno, "rename", from + " to " + to);
  }

  Status Remove(const std::string& path) override {
    if (unlink(path.c_str()) == 0) return OkStatus();
    return StatusOfPath(errno, "remove", path);
  }

  Status RemoveTree(const std::string& path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    return error ? StatusOfErrno(error.value(), "remove", path) : OkStatus();
  }

  Status SyncDirectory(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(Descriptor fd,
                           OpenDescriptor(path, O_RDONLY | O_DIRECTORY, 0, "open directory"));
    return fsync(fd.get()) == 0 ? OkStatus() : StatusOfErrno(errno, "fsync", path);
  }

  Result<uint64_t> FreeBytes(const std::string& path) override {
    struct statvfs info;
    if (statvfs(path.c_str(), &info) != 0) return StatusOfErrno(errno, "statvfs", path);
    return uint64_t{info.f_bavail} * info.f_frsize;
  }
};

}  // namespace

FileSystem& SystemFileSystem() {
  static PosixFileSystem fs;
  return fs;
}

}  // namespace ferry::sys

#include "tools/ferry/stream/run/out_file.h"

#include <algorithm>
#include <filesystem>

#include "common/crypto/hash.h"

namespace ferry::cli {
namespace {

constexpr size_t kTailBytes = 4096;

// The bytes before `bytes`; shorter when the file is.
Result<std::string> ReadEnd(sys::FileSystem& fs, const std::string& path, uint64_t bytes) {
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForRead(path));
  const uint64_t size = std::min<uint64_t>(bytes, kTailBytes);
  std::string end(size, '\0');
  FERRY_ASSIGN_OR_RETURN(
      const size_t got,
      file->ReadAt(bytes - size, {reinterpret_cast<uint8_t*>(end.data()), end.size()}));
  end.resize(got);
  return end;
}

}  // namespace

Result<OutFile> OutFile::Open(sys::FileSystem& fs, const std::string& path, uint64_t bytes,
                              const std::string& tail) {
  std::string end;
  bool goes_on = false;
  if (Result<std::string> found = ReadEnd(fs, path, bytes); found.ok()) {
    end = std::move(*found);
    goes_on = bytes > 0 && crypto::Sha256Hex(AsBytes(end)) == tail;
  }
  if (goes_on) {
    std::error_code error;
    std::filesystem::resize_file(path, bytes, error);
    if (error) return Status::Of(Code::kIo, "cutting {} back: {}", path, error.message());
  }
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(path, goes_on ? sys::WriteMode::kAppend
                                                                  : sys::WriteMode::kTruncate));
  const std::string parent = sys::ParentPath(path);
  FERRY_TRY(fs.SyncDirectory(parent.empty() ? "." : parent));
  return OutFile(path, std::move(file), goes_on ? bytes : 0, goes_on ? std::move(end) : "");
}

Status OutFile::Write(std::string_view text) {
  FERRY_TRY(file_->Append(AsBytes(text)).Context("writing {}", path_));
  bytes_ += text.size();
  if (text.size() >= kTailBytes) {
    end_ = text.substr(text.size() - kTailBytes);
    return OkStatus();
  }
  end_ += text;
  if (end_.size() > kTailBytes) end_.erase(0, end_.size() - kTailBytes);
  return OkStatus();
}

Status OutFile::Sync() {
  return file_->Sync();
}

std::string OutFile::Tail() const {
  return crypto::Sha256Hex(AsBytes(end_));
}

}  // namespace ferry::cli

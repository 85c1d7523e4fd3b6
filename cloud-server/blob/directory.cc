#include <algorithm>

#include "cloud-server/blob/blob.h"
#include "common/base/buffers.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kNameBytes = 64;

Status CheckName(const std::string& sha256) {
  if (IsBlobName(sha256)) return OkStatus();
  return Status::Of(Code::kInvalidArgument,
                    "content name {}: not 64 lower-case hexadecimal characters",
                    sha256.substr(0, kNameBytes));
}

// Where blobs lie.
struct Place {
  sys::FileSystem& fs;
  std::string directory;
  std::string FolderOf(const std::string& sha256) const {
    return sys::JoinPath(directory, sha256.substr(0, 2));
  }
  std::string PathOf(const std::string& sha256) const { return BlobPath(directory, sha256); }
};

class DirectoryWriter : public BlobWriter {
 public:
  DirectoryWriter(Place place, std::string sha256, std::string temporary,
                  std::unique_ptr<sys::WritableFile> file, uint64_t limit)
      : place_(std::move(place)),
        sha256_(std::move(sha256)),
        temporary_(std::move(temporary)),
        file_(std::move(file)),
        limit_(limit) {}

  ~DirectoryWriter() override {
    if (committed_) return;
    file_.reset();
    Status ignored = place_.fs.Remove(temporary_);  // opening the store removes leftovers too
  }

  Status Write(ByteView piece) override {
    if (piece.size() > limit_ - written_)
      return Status::Of(Code::kLimitExceeded, "content {}: more than {} bytes", sha256_, limit_);
    FERRY_TRY(file_->Append(piece));
    hash_.Update(piece);
    written_ += piece.size();
    return OkStatus();
  }

  Status Commit() override {
    const std::string found = ToHex(hash_.Finish());
    if (found != sha256_)
      return Status::Of(Code::kCorruptContent, "content {}: its SHA-256 is {}", sha256_, found);
    FERRY_TRY(file_->Sync());
    FERRY_TRY(file_->Close());
    file_.reset();
    FERRY_TRY(place_.fs.MakeDirectories(place_.FolderOf(sha256_)));
    FERRY_TRY(place_.fs.Rename(temporary_, place_.PathOf(sha256_)));
    committed_ = true;
    FERRY_TRY(place_.fs.SyncDirectory(place_.FolderOf(sha256_)));
    return place_.fs.SyncDirectory(place_.directory);
  }

 private:
  Place place_;
  std::string sha256_;
  std::string temporary_;
  std::unique_ptr<sys::WritableFile> file_;
  const uint64_t limit_;
  uint64_t written_ = 0;
  bool committed_ = false;
  crypto::Sha256Stream hash_;
};

class DirectoryStore : public BlobStore {
 public:
  DirectoryStore(Place place, std::string incoming, sys::Random& random)
      : place_(std::move(place)), incoming_(std::move(incoming)), random_(random) {}

  Result<std::unique_ptr<BlobWriter>> Put(const std::string& sha256, uint64_t limit) override {
    FERRY_TRY(CheckName(sha256));
    std::array<uint8_t, 8> tail;
    random_.Fill(tail);
    std::string temporary = sys::JoinPath(incoming_, sha256 + "." + ToHex(tail));
    FERRY_ASSIGN_OR_RETURN(std::unique_ptr<sys::WritableFile> file,
                           place_.fs.OpenForWrite(temporary, sys::WriteMode::kMustBeNew));
    return std::unique_ptr<BlobWriter>(std::make_unique<DirectoryWriter>(
        place_, sha256, std::move(temporary), std::move(file), limit));
  }

  Result<uint64_t> Size(const std::string& sha256) override {
    FERRY_TRY(CheckName(sha256));
    Result<sys::FileInfo> info = place_.fs.Stat(place_.PathOf(sha256));
    if (info.code() == Code::kNotFound)
      return Status::Of(Code::kNotFound, "there is no content {}", sha256);
    if (!info.ok()) return info.status();
    return info->size;
  }

  Result<std::unique_ptr<sys::ReadableFile>> Open(const std::string& sha256) override {
    FERRY_TRY(CheckName(sha256));
    Result<std::unique_ptr<sys::ReadableFile>> file = place_.fs.OpenForRead(place_.PathOf(sha256));
    if (file.code() == Code::kNotFound)
      return Status::Of(Code::kNotFound, "there is no content {}", sha256);
    return file;
  }

  Status CopyTo(const std::string& sha256, const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(std::unique_ptr<sys::ReadableFile> from, Open(sha256));
    FERRY_ASSIGN_OR_RETURN(std::unique_ptr<sys::WritableFile> to,
                           place_.fs.OpenForWrite(path, sys::WriteMode::kTruncate));
    Bytes piece(BufferBytes(kPieceBytes));
    for (uint64_t offset = 0;;) {
      FERRY_ASSIGN_OR_RETURN(size_t size, from->ReadAt(offset, piece));
      FERRY_TRY(to->Append(ByteView(piece).first(size)));
      offset += size;
      if (size < piece.size()) break;
    }
    return to->Close();
  }

  Result<std::vector<std::string>> List(const std::string& prefix) override {
    if (!IsBlobName(prefix + std::string(kNameBytes - 2, '0')))
      return Status::Of(Code::kInvalidArgument, "no names begin with \"{}\"", prefix);
    auto names = place_.fs.List(sys::JoinPath(place_.directory, prefix));
    if (names.code() == Code::kNotFound) return std::vector<std::string>();
    if (names.ok()) std::erase_if(*names, [](const auto& name) { return !IsBlobName(name); });
    return names;
  }

  Status Remove(const std::string& sha256) override {
    FERRY_TRY(CheckName(sha256));
    return place_.fs.Remove(place_.PathOf(sha256));
  }

 private:
  const Place place_;
  const std::string incoming_;
  sys::Random& random_;
};

}  // namespace

std::string BlobPath(const std::string& directory, const std::string& sha256) {
  return sys::JoinPath(sys::JoinPath(directory, sha256.substr(0, 2)), sha256);
}

bool IsBlobName(std::string_view text) {
  return text.size() == kNameBytes && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Status BlobStore::PutBytes(const std::string& sha256, ByteView bytes) {
  FERRY_ASSIGN_OR_RETURN(std::unique_ptr<BlobWriter> writer, Put(sha256));
  FERRY_TRY(writer->Write(bytes));
  return writer->Commit();
}

Result<std::unique_ptr<BlobStore>> OpenDirectoryBlobStore(sys::FileSystem& fs,
                                                          const std::string& directory,
                                                          sys::Random& random) {
  const std::string incoming = sys::JoinPath(directory, "incoming");
  FERRY_TRY(fs.RemoveTree(incoming));
  FERRY_TRY(fs.MakeDirectories(incoming));
  FERRY_TRY(fs.SyncDirectory(directory));
  FERRY_TRY(fs.SyncDirectory(sys::ParentPath(directory)));
  return std::unique_ptr<BlobStore>(
      std::make_unique<DirectoryStore>(Place{fs, directory}, incoming, random));
}

}  // namespace ferry::server

#include "common/package/at_rest.h"

#include <algorithm>
#include <array>
#include <new>

#include "common/crypto/hash.h"
#include "common/crypto/seal.h"

namespace ferry::package {
namespace {

constexpr uint8_t kAtRestFormat = 1;
constexpr size_t kAtRestSaltBytes = 32;
constexpr size_t kAtRestSaltAt = kAtRestHeaderBytes - kAtRestSaltBytes;
constexpr std::string_view kAtRestInfo = "ferry at rest v1";
constexpr size_t kMapPieceBytes = 16 * crypto::kSealChunkBytes;
// As mapped files are aligned, at the least: weights are used where they lie.
constexpr std::align_val_t kMapAlignment{4096};

// Of a file with this header, every byte of which counts.
Result<crypto::Secret32> FileKey(const crypto::Secret32& key, ByteView header) {
  Bytes info = ToBytes(kAtRestInfo);
  info.insert(info.end(), header.begin(), header.begin() + kAtRestSaltAt);
  const crypto::Sha256Digest extracted =
      crypto::HkdfSha256Extract(header.subspan(kAtRestSaltAt), key.bytes());
  FERRY_ASSIGN_OR_RETURN(Bytes derived, crypto::HkdfSha256Expand(extracted, info, 32));
  auto out = crypto::Secret32::From(derived, "key of a file at rest");
  crypto::Wipe(derived);
  return out;
}

// What follows the header of a file.
class BehindHeader : public sys::ReadableFile {
 public:
  explicit BehindHeader(std::unique_ptr<sys::ReadableFile> file) : file_(std::move(file)) {}
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    return file_->ReadAt(offset + kAtRestHeaderBytes, out);
  }
  Result<uint64_t> Size() const override {
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, file_->Size());
    return size - kAtRestHeaderBytes;
  }

 private:
  std::unique_ptr<sys::ReadableFile> file_;
};

// What was sealed, opened into memory that is wiped.
class OpenedFile : public sys::MappedFile {
 public:
  static Result<std::unique_ptr<sys::MappedFile>> From(const sys::ReadableFile& file) {
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, file.Size());
    std::unique_ptr<OpenedFile> out(new OpenedFile());
    if (size == 0) return std::unique_ptr<sys::MappedFile>(std::move(out));
    out->data_ = static_cast<uint8_t*>(::operator new(size, kMapAlignment, std::nothrow));
    if (out->data_ == nullptr)
      return Status::Of(Code::kOutOfMemory, "{} bytes to open what is sealed at rest", size);
    out->size_ = size;
    for (uint64_t at = 0; at < size;) {
      const size_t piece = static_cast<size_t>(std::min<uint64_t>(kMapPieceBytes, size - at));
      FERRY_ASSIGN_OR_RETURN(const size_t read, file.ReadAt(at, {out->data_ + at, piece}));
      if (read != piece)
        return Status::Of(Code::kTruncatedContent, "{} bytes at {} instead of {}", read, at, piece);
      at += piece;
    }
    return std::unique_ptr<sys::MappedFile>(std::move(out));
  }
  ~OpenedFile() override {
    if (data_ == nullptr) return;
    crypto::Wipe({data_, size_});
    ::operator delete(data_, kMapAlignment);
  }
  ByteView bytes() const override { return {data_, size_}; }

 private:
  OpenedFile() = default;
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

// Seals what is appended. The last chunk is written when the file is closed.
class SealingFile : public sys::WritableFile {
 public:
  SealingFile(std::unique_ptr<sys::WritableFile> file, const crypto::Secret32& key,
              sys::Random& random)
      : file_(std::move(file)),
        writer_(key, random, [this](ByteView piece) { return file_->Append(piece); }) {}
  Status Append(ByteView bytes) override { return writer_.Write(bytes); }
  Status Sync() override { return file_->Sync(); }
  Status Close() override {
    FERRY_TRY(writer_.Finish());
    // Those who sync before they close rely on it.
    FERRY_TRY(file_->Sync());
    return file_->Close();
  }

 private:
  std::unique_ptr<sys::WritableFile> file_;
  crypto::SealWriter writer_;
};

}  // namespace

class AtRest::View : public sys::FileSystem {
 public:
  View(sys::FileSystem& below, std::string directory, std::optional<crypto::Secret32> key,
       sys::Random& random, bool seals)
      : below_(below),
        prefix_(std::move(directory) + "/"),
        key_(std::move(key)),
        random_(random),
        seals_(seals) {}
  bool has_key() const { return key_.has_value(); }

  Result<std::unique_ptr<sys::WritableFile>> OpenForWrite(const std::string& path,
                                                          sys::WriteMode mode,
                                                          int permissions) override {
    if (!seals_) return below_.OpenForWrite(path, mode, permissions);
    if (!key_)
      return Status::Of(Code::kFailedPrecondition, "{}: there is no key to seal it at rest", path);
    if (mode == sys::WriteMode::kAppend)
      return Status::Of(Code::kUnsupported, "{}: nothing is appended to a file sealed at rest",
                        path);
    FERRY_ASSIGN_OR_RETURN(auto file, below_.OpenForWrite(path, mode, permissions));
    std::array<uint8_t, kAtRestHeaderBytes> header{};
    std::copy(kAtRestMagic.begin(), kAtRestMagic.end(), header.begin());
    header[kAtRestMagic.size()] = kAtRestFormat;
    const std::span<uint8_t> salt(header.data() + kAtRestSaltAt, kAtRestSaltBytes);
    random_.Fill(salt);
    FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, FileKey(*key_, header));
    FERRY_TRY(file->Append(header));
    return std::unique_ptr<sys::WritableFile>(
        std::make_unique<SealingFile>(std::move(file), key, random_));
  }
  Result<std::unique_ptr<sys::ReadableFile>> OpenForRead(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(auto header, HeaderOf(path));
    if (!header) return below_.OpenForRead(path);
    FERRY_ASSIGN_OR_RETURN(auto opened, Opened(path, *header));
    return std::unique_ptr<sys::ReadableFile>(std::move(opened));
  }
  Result<std::unique_ptr<sys::MappedFile>> Map(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(auto header, HeaderOf(path));
    if (!header) return below_.Map(path);
    FERRY_ASSIGN_OR_RETURN(auto opened, Opened(path, *header));
    return OpenedFile::From(*opened).Context("{}", path);
  }
  Result<sys::FileInfo> Stat(const std::string& path) override {
    FERRY_ASSIGN_OR_RETURN(sys::FileInfo info, below_.Stat(path));
    if (info.is_directory || info.size < kAtRestHeaderBytes) return info;
    const auto header = HeaderOf(path);
    if (!header.ok() || !*header) return info;
    const auto plain = crypto::PlainSize(info.size - kAtRestHeaderBytes);
    if (plain.ok()) info.size = *plain;
    return info;
  }
  Result<std::vector<std::string>> List(const std::string& directory) override {
    return below_.List(directory);
  }
  Status MakeDirectories(const std::string& path) override { return below_.MakeDirectories(path); }
  Status Rename(const std::string& from, const std::string& to) override {
    return below_.Rename(from, to);
  }
  Status Remove(const std::string& path) override { return below_.Remove(path); }
  Status RemoveTree(const std::string& path) override { return below_.RemoveTree(path); }
  Status SyncDirectory(const std::string& path) override { return below_.SyncDirectory(path); }
  Result<uint64_t> FreeBytes(const std::string& path) override { return below_.FreeBytes(path); }

 private:
  using Header = std::array<uint8_t, kAtRestHeaderBytes>;

  // nullopt for a file that is not sealed, or not looked at.
  Result<std::optional<Header>> HeaderOf(const std::string& path) const {
    if (!path.starts_with(prefix_)) return std::optional<Header>();
    const auto file = below_.OpenForRead(path);
    if (!file.ok()) return std::optional<Header>();  // what opens it says why
    Header header{};
    FERRY_ASSIGN_OR_RETURN(const size_t read, (*file)->ReadAt(0, header));
    const ByteView bytes(header);
    if (read < header.size() || AsText(bytes.first(kAtRestMagic.size())) != kAtRestMagic)
      return std::optional<Header>();
    if (header[kAtRestMagic.size()] != kAtRestFormat)
      return Status::Of(Code::kUnsupported, "{}: sealed at rest in format {}, this reads {}", path,
                        header[kAtRestMagic.size()], kAtRestFormat);
    return std::optional<Header>(header);
  }
  Result<std::unique_ptr<crypto::SealedReader>> Opened(const std::string& path,
                                                       const Header& header) const {
    if (!key_)
      return Status::Of(Code::kWrongKey, "{} is sealed at rest, and no key was given", path);
    FERRY_ASSIGN_OR_RETURN(const crypto::Secret32 key, FileKey(*key_, header));
    FERRY_ASSIGN_OR_RETURN(auto file, below_.OpenForRead(path));
    return crypto::SealedReader::Open(std::make_unique<BehindHeader>(std::move(file)), key)
        .Context("{}: sealed at rest", path);
  }

  sys::FileSystem& below_;
  const std::string prefix_;
  const std::optional<crypto::Secret32> key_;
  sys::Random& random_;
  const bool seals_;
};

AtRest::AtRest(sys::FileSystem& below, std::string directory, std::optional<crypto::Secret32> key,
               sys::Random& random) {
  while (directory.ends_with('/')) directory.pop_back();
  reading_ = std::make_unique<View>(below, directory, key, random, false);
  sealing_ = std::make_unique<View>(below, directory, key, random, true);
}

AtRest::~AtRest() = default;

bool AtRest::has_key() const {
  return reading_->has_key();
}

sys::FileSystem& AtRest::reading() {
  return *reading_;
}

sys::FileSystem& AtRest::sealing() {
  return *sealing_;
}

}  // namespace ferry::package

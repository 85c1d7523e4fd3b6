#include "cloud-server/blob/s3/store.h"

#include <algorithm>
#include <charconv>

#include "cloud-server/blob/s3/sign.h"
#include "cloud-server/blob/s3/xml.h"
#include "common/crypto/hash.h"

namespace ferry::server {
namespace s3 {
namespace {

bool IsSuccess(const Response& response) {
  return response.status >= 200 && response.status < 300;
}

Status CheckObjectName(const std::string& sha256) {
  if (IsBlobName(sha256)) return OkStatus();
  return Status::Of(Code::kInvalidArgument,
                    "content name {}: not 64 lower-case hexadecimal characters",
                    sha256.substr(0, 64));
}

Status NoSuchBlob(const std::string& sha256) {
  return Status::Of(Code::kNotFound, "there is no content {}", sha256);
}

// Reads by ranges, and some way ahead: who serves a blob reads it in small pieces in order.
class ObjectFile : public sys::ReadableFile {
 public:
  ObjectFile(std::shared_ptr<Client> client, std::string sha256, uint64_t size)
      : client_(std::move(client)), sha256_(std::move(sha256)), size_(size) {}

  Result<uint64_t> Size() const override { return size_; }

  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) const override {
    std::lock_guard lock(mutex_);
    size_t done = 0;
    while (done < out.size() && offset + done < size_) {
      const uint64_t at = offset + done;
      if (at < begin_ || at >= begin_ + ahead_.size()) FERRY_TRY(Fetch(at, out.size() - done));
      const auto from = static_cast<size_t>(at - begin_);
      const size_t count = std::min(out.size() - done, ahead_.size() - from);
      std::copy_n(ahead_.begin() + static_cast<ptrdiff_t>(from), count,
                  out.begin() + static_cast<ptrdiff_t>(done));
      done += count;
    }
    return done;
  }

 private:
  Status Fetch(uint64_t at, size_t wanted) const {
    const uint64_t bytes = std::min<uint64_t>(std::max(wanted, kAheadBytes), size_ - at);
    Bytes got;
    Request request{.key = KeyOf(sha256_),
                    .headers = {fmt::format("Range: bytes={}-{}", at, at + bytes - 1)}};
    FERRY_ASSIGN_OR_RETURN(const Response response, client_->Do(request));
    if (response.status == 404) return NoSuchBlob(sha256_);
    if (!IsSuccess(response)) return ErrorOf(response, sha256_);
    // Some servers answer with the whole object.
    const uint64_t skip = response.status == 206 ? 0 : at;
    if (response.body.size() < skip + bytes)
      return Status::Of(Code::kIo, "content {}: S3 sent {} bytes of {}", sha256_,
                        response.body.size(), bytes);
    ahead_ = ToBytes(AsBytes(std::string_view(response.body).substr(skip, bytes)));
    begin_ = at;
    return OkStatus();
  }

  const std::shared_ptr<Client> client_;
  const std::string sha256_;
  const uint64_t size_;
  mutable std::mutex mutex_;
  mutable uint64_t begin_ = 0;  // of what was read ahead
  mutable Bytes ahead_;
};

// Keeps the pieces in a file here until they prove to be the blob.
class ObjectWriter : public BlobWriter {
 public:
  ObjectWriter(std::shared_ptr<Client> client, BlobStore& spool, std::string sha256,
               std::unique_ptr<BlobWriter> writer)
      : client_(std::move(client)),
        spool_(spool),
        sha256_(std::move(sha256)),
        writer_(std::move(writer)) {}

  Status Write(ByteView piece) override { return writer_->Write(piece); }

  Status Commit() override {
    FERRY_TRY(writer_->Commit());
    FERRY_ASSIGN_OR_RETURN(const auto file, spool_.Open(sha256_));
    const Status sent = Upload(*client_, sha256_, *file);
    // Two that put one blob at once may remove it both.
    const Status removed = spool_.Remove(sha256_);
    return sent.ok() && removed.code() != Code::kNotFound ? removed : sent;
  }

 private:
  const std::shared_ptr<Client> client_;
  BlobStore& spool_;
  const std::string sha256_;
  const std::unique_ptr<BlobWriter> writer_;
};

class ObjectStore : public BlobStore {
 public:
  ObjectStore(std::shared_ptr<Client> client, std::unique_ptr<BlobStore> spool, sys::FileSystem& fs)
      : client_(std::move(client)), spool_(std::move(spool)), fs_(fs) {}

  Result<std::unique_ptr<BlobWriter>> Put(const std::string& sha256, uint64_t limit) override {
    FERRY_ASSIGN_OR_RETURN(auto writer, spool_->Put(sha256, limit));
    return std::unique_ptr<BlobWriter>(
        std::make_unique<ObjectWriter>(client_, *spool_, sha256, std::move(writer)));
  }

  Result<uint64_t> Size(const std::string& sha256) override {
    FERRY_TRY(CheckObjectName(sha256));
    FERRY_ASSIGN_OR_RETURN(const Response response,
                           client_->Do({.method = "HEAD", .key = KeyOf(sha256)}));
    if (response.status == 404) return NoSuchBlob(sha256);
    if (!IsSuccess(response)) return ErrorOf(response, sha256);
    const auto length = response.headers.find("content-length");
    const std::string text = length == response.headers.end() ? "" : length->second;
    uint64_t size = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      return Status::Of(Code::kMalformed, "content {}: S3 says the size \"{}\"", sha256,
                        text.substr(0, 40));
    return size;
  }

  Result<std::unique_ptr<sys::ReadableFile>> Open(const std::string& sha256) override {
    FERRY_ASSIGN_OR_RETURN(const uint64_t size, Size(sha256));
    return std::unique_ptr<sys::ReadableFile>(std::make_unique<ObjectFile>(client_, sha256, size));
  }

  Status CopyTo(const std::string& sha256, const std::string& path) override {
    FERRY_TRY(CheckObjectName(sha256));
    FERRY_ASSIGN_OR_RETURN(auto file, fs_.OpenForWrite(path, sys::WriteMode::kTruncate));
    Request request{.key = KeyOf(sha256)};
    request.write_answer = [&](ByteView piece) { return file->Append(piece); };
    FERRY_ASSIGN_OR_RETURN(const Response response, client_->Do(request));
    if (response.status == 404) return NoSuchBlob(sha256);
    if (!IsSuccess(response)) return ErrorOf(response, sha256);
    return file->Close();
  }

  Result<std::vector<std::string>> List(const std::string& prefix) override {
    FERRY_TRY(CheckObjectName(prefix + std::string(62, '0')));
    std::vector<std::string> names;
    std::string token;
    do {
      Request request;
      if (!token.empty()) request.query.emplace_back("continuation-token", token);
      request.query.emplace_back("list-type", "2");
      request.query.emplace_back("prefix", client_->address().prefix + prefix + "/");
      FERRY_ASSIGN_OR_RETURN(const Response response, client_->Do(request));
      if (!IsSuccess(response)) return ErrorOf(response, prefix);
      FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> keys, TextsOf(response.body, "Key"));
      for (const std::string& key : keys) {
        std::string name = key.substr(key.rfind('/') + 1);
        if (IsBlobName(name) && name.starts_with(prefix)) names.push_back(std::move(name));
      }
      FERRY_ASSIGN_OR_RETURN(const auto next, TextsOf(response.body, "NextContinuationToken"));
      token = next.empty() ? "" : next.front();
    } while (!token.empty());
    std::sort(names.begin(), names.end());
    return names;
  }

  Status Remove(const std::string& sha256) override {
    FERRY_TRY(AsStatus(Size(sha256)));  // S3 removes what is not there without a word
    FERRY_ASSIGN_OR_RETURN(const Response response,
                           client_->Do({.method = "DELETE", .key = KeyOf(sha256)}));
    return IsSuccess(response) ? OkStatus() : ErrorOf(response, sha256);
  }

  std::string AddressOf(const std::string& sha256, int64_t now_ms, int64_t life_s) override {
    const Address& address = client_->address();
    return SignedUrl(address, client_->credentials(),
                     "/" + address.bucket + "/" + address.prefix + KeyOf(sha256), now_ms, life_s);
  }

 private:
  const std::shared_ptr<Client> client_;
  const std::unique_ptr<BlobStore> spool_;
  sys::FileSystem& fs_;
};

}  // namespace
}  // namespace s3

Result<std::unique_ptr<BlobStore>> OpenS3BlobStore(const std::string& url, sys::FileSystem& fs,
                                                   const std::string& spool, sys::Random& random) {
  FERRY_ASSIGN_OR_RETURN(s3::Address address, s3::ParseAddress(url));
  FERRY_ASSIGN_OR_RETURN(s3::Credentials credentials, s3::CredentialsOfEnvironment());
  FERRY_ASSIGN_OR_RETURN(auto files, OpenDirectoryBlobStore(fs, spool, random));
  auto client = std::make_shared<s3::Client>(std::move(address), std::move(credentials));
  // A wrong address or secret is said at the start, not by the first device.
  FERRY_ASSIGN_OR_RETURN(const s3::Response there, client->Do({.method = "HEAD"}));
  if (there.status < 200 || there.status >= 300)
    return s3::ErrorOf(there, "bucket " + client->address().bucket);
  return std::unique_ptr<BlobStore>(
      std::make_unique<s3::ObjectStore>(std::move(client), std::move(files), fs));
}

}  // namespace ferry::server

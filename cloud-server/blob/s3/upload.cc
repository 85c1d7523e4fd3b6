#include <algorithm>

#include "cloud-server/blob/s3/store.h"
#include "cloud-server/blob/s3/xml.h"
#include "common/crypto/hash.h"

namespace ferry::server::s3 {
namespace {

constexpr size_t kUploadPieceBytes = 256 << 10;

bool IsGood(const Response& response) {
  return response.status >= 200 && response.status < 300;
}

Request BodyOf(Request request, const sys::ReadableFile& file, uint64_t begin, uint64_t size) {
  request.body_bytes = size;
  request.read_body = [&file, begin](uint64_t offset, std::span<uint8_t> out) {
    return file.ReadAt(begin + offset, out);
  };
  return request;
}

Request TextBody(Request request, const std::string& text) {
  request.body_bytes = text.size();
  request.body_sha256 = crypto::Sha256Hex(AsBytes(text));
  request.read_body = [&text](uint64_t offset, std::span<uint8_t> out) -> Result<size_t> {
    const size_t size = std::min<size_t>(out.size(), text.size() - offset);
    std::copy_n(text.begin() + static_cast<ptrdiff_t>(offset), size, out.begin());
    return size;
  };
  return request;
}

Result<std::string> HashOf(const sys::ReadableFile& file, uint64_t begin, uint64_t size) {
  crypto::Sha256Stream hash;
  Bytes piece(kUploadPieceBytes);
  for (uint64_t done = 0; done < size;) {
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(piece.size(), size - done));
    FERRY_ASSIGN_OR_RETURN(const size_t got,
                           file.ReadAt(begin + done, std::span(piece).first(wanted)));
    if (got == 0) return Status(Code::kIo, "the file became shorter");
    hash.Update(ByteView(piece).first(got));
    done += got;
  }
  return ToHex(hash.Finish());
}

// An upload in parts (CreateMultipartUpload ... CompleteMultipartUpload of the S3 API).
class Parts {
 public:
  Parts(Client& client, std::string key, const sys::ReadableFile& file, uint64_t size)
      : client_(client), key_(std::move(key)), file_(file), size_(size) {}

  Status Send() {
    FERRY_ASSIGN_OR_RETURN(const Response begun,
                           client_.Do({.method = "POST", .key = key_, .query = {{"uploads", ""}}}));
    if (!IsGood(begun)) return ErrorOf(begun, key_);
    FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> ids, TextsOf(begun.body, "UploadId"));
    if (ids.empty()) return Status::Of(Code::kMalformed, "{}: S3 names no upload", key_);
    id_ = ids.front();
    Status sent = SendAll();
    if (sent.ok()) return sent;
    // What came is paid for until it is given up.
    const auto ignored =
        client_.Do({.method = "DELETE", .key = key_, .query = {{"uploadId", id_}}});
    static_cast<void>(ignored);
    return sent;
  }

 private:
  Status SendAll() {
    std::string done = "<CompleteMultipartUpload>";
    int number = 0;
    for (uint64_t begin = 0; begin < size_; begin += kPartBytes) {
      const uint64_t bytes = std::min(kPartBytes, size_ - begin);
      Request part{.method = "PUT",
                   .key = key_,
                   .query = {{"partNumber", std::to_string(++number)}, {"uploadId", id_}}};
      FERRY_ASSIGN_OR_RETURN(part.body_sha256, HashOf(file_, begin, bytes));
      FERRY_ASSIGN_OR_RETURN(const Response sent,
                             client_.Do(BodyOf(std::move(part), file_, begin, bytes)));
      if (!IsGood(sent)) return ErrorOf(sent, key_);
      const auto tag = sent.headers.find("etag");
      if (tag == sent.headers.end()) return Status::Of(Code::kMalformed, "{}: no ETag", key_);
      done += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", number,
                          EscapeXml(tag->second));
    }
    done += "</CompleteMultipartUpload>";
    Request last{.method = "POST", .key = key_, .query = {{"uploadId", id_}}};
    FERRY_ASSIGN_OR_RETURN(const Response ended, client_.Do(TextBody(std::move(last), done)));
    // A failure may come with status 200, as the answer begins before the parts are joined.
    if (!IsGood(ended) || ended.body.find("<Error>") != std::string::npos)
      return ErrorOf(ended, key_);
    return OkStatus();
  }

  Client& client_;
  const std::string key_;
  const sys::ReadableFile& file_;
  const uint64_t size_;
  std::string id_;
};

}  // namespace

std::string KeyOf(const std::string& sha256) {
  return sha256.substr(0, 2) + "/" + sha256;
}

Status Upload(Client& client, const std::string& sha256, const sys::ReadableFile& file) {
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, file.Size());
  const std::string key = KeyOf(sha256);
  FERRY_ASSIGN_OR_RETURN(const Response there, client.Do({.method = "HEAD", .key = key}));
  const auto length = there.headers.find("content-length");
  if (IsGood(there) && length != there.headers.end() && length->second == std::to_string(size))
    return OkStatus();
  if (size > kMaxWholePut) return Parts(client, key, file, size).Send();
  Request put{.method = "PUT", .key = key, .body_sha256 = sha256};
  FERRY_ASSIGN_OR_RETURN(const Response sent, client.Do(BodyOf(std::move(put), file, 0, size)));
  return IsGood(sent) ? OkStatus() : ErrorOf(sent, key);
}

}  // namespace ferry::server::s3

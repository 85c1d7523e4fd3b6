#include "tools/ferry/publisher/bundle.h"

#include <unistd.h>

#include <algorithm>

#include "common/base/buffers.h"
#include "common/trust/envelope.h"
#include "common/trust/key.h"
#include "tools/ferry/progress.h"
#include "tools/ferry/publisher/documents.h"

namespace ferry::cli {
namespace {

constexpr size_t kPrefixBytes = 16;
constexpr size_t kCopyBytes = 256 << 10;

// Appends `length` bytes of `from`, starting at `offset`, to `to`.
Status Copy(const sys::ReadableFile& from, uint64_t offset, uint64_t length,
            sys::WritableFile& to) {
  Bytes buffer(BufferBytes(kCopyBytes));
  for (uint64_t done = 0; done < length;) {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(buffer.size(), length - done));
    FERRY_ASSIGN_OR_RETURN(const size_t read,
                           from.ReadAt(offset + done, std::span(buffer).first(want)));
    if (read == 0) return Status(Code::kTruncatedContent, "the file ends too early");
    FERRY_TRY(to.Append(ByteView(buffer).first(read)));
    done += read;
  }
  return OkStatus();
}

struct OpenBundle {
  std::unique_ptr<sys::ReadableFile> file;
  Json header;
  struct Item {
    std::string sha256;
    uint64_t offset;
    uint64_t length;
  };
  std::vector<Item> items;
};

Status ReadItems(const Json& content, uint64_t offset, uint64_t size, OpenBundle& out) {
  if (content.size() > kMaxBundleFiles) {
    return Status::Of(Code::kLimitExceeded, "{} files, at most {}", content.size(),
                      kMaxBundleFiles);
  }
  for (const Json& item : content) {
    FERRY_ASSIGN_OR_RETURN(const trust::Hash hash, trust::GetHash32(item, "sha256"));
    FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(item, "length"));
    if (length < 0 || static_cast<uint64_t>(length) > size - offset) {
      return Status::Of(Code::kTruncatedContent, "file {} of {} bytes at offset {} passes the end",
                        out.items.size(), length, offset);
    }
    out.items.push_back({ToHex(hash), offset, static_cast<uint64_t>(length)});
    offset += static_cast<uint64_t>(length);
  }
  if (offset == size) return OkStatus();
  return Status::Of(Code::kMalformed, "{} bytes after the last file", size - offset);
}

Result<OpenBundle> Open(const std::string& path) {
  OpenBundle out;
  FERRY_ASSIGN_OR_RETURN(out.file, sys::SystemFileSystem().OpenForRead(path));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, out.file->Size());
  uint8_t prefix[kPrefixBytes];
  FERRY_ASSIGN_OR_RETURN(const size_t read, out.file->ReadAt(0, prefix));
  if (read < kPrefixBytes || AsText(ByteView(prefix).first(8)) != kBundleMagic) {
    return Status(Code::kMalformed, "no publish bundle: it does not start with FERRYBND");
  }
  if (GetU32(prefix + 8) != kBundleFormat) {
    return Status::Of(Code::kUnsupported, "bundle format {}, this reads {}", GetU32(prefix + 8),
                      kBundleFormat);
  }
  const size_t length = GetU32(prefix + 12);
  if (length > kMaxBundleHeaderBytes) {
    return Status::Of(Code::kLimitExceeded, "a header of {} bytes, at most {}", length,
                      kMaxBundleHeaderBytes);
  }
  if (length > size - kPrefixBytes) {
    return Status(Code::kTruncatedContent, "the bundle ends within its header");
  }
  Bytes text(length);
  FERRY_ASSIGN_OR_RETURN(const size_t got, out.file->ReadAt(kPrefixBytes, text));
  if (got < length) return Status(Code::kTruncatedContent, "the bundle ends within its header");
  FERRY_ASSIGN_OR_RETURN(out.header, ParseJson(AsText(text)).Context("header"));
  FERRY_TRY(GetObject(out.header, "publish"));
  FERRY_ASSIGN_OR_RETURN(const Json* content, GetArray(out.header, "content"));
  FERRY_TRY(ReadItems(*content, kPrefixBytes + length, size, out));
  return out;
}

Status WriteTo(sys::WritableFile& file, const Publication& publication) {
  Json content = Json::array();
  for (const SealedFile& sealed : publication.files) {
    content.push_back({{"sha256", ToHex(sealed.entry.sha256)}, {"length", sealed.entry.length}});
  }
  const std::string header =
      WriteJson(Json{{"publish", publication.body}, {"content", std::move(content)}});
  Bytes prefix = ToBytes(kBundleMagic);
  prefix.resize(kPrefixBytes);
  PutU32(&prefix[8], kBundleFormat);
  PutU32(&prefix[12], static_cast<uint32_t>(header.size()));
  FERRY_TRY(file.Append(prefix));
  FERRY_TRY(file.Append(AsBytes(header)));
  for (const SealedFile& sealed : publication.files) {
    FERRY_ASSIGN_OR_RETURN(const auto from, sys::SystemFileSystem().OpenForRead(sealed.file));
    FERRY_TRY(Copy(*from, 0, sealed.entry.length, file));
  }
  FERRY_TRY(file.Sync());
  return file.Close();
}

// Puts `targets` into the body of a publication, when it signs what the body's do.
Status ReplaceTargets(const Bytes& targets, Json& body) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(body, "targets"));
  FERRY_ASSIGN_OR_RETURN(const Bytes staged, FromBase64(text).Context("targets"));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope before, trust::ParseEnvelope(staged));
  FERRY_ASSIGN_OR_RETURN(const trust::Envelope now, trust::ParseEnvelope(targets));
  if (before.canonical != now.canonical) {
    return Status(Code::kFailedPrecondition, "other targets were staged with this content");
  }
  body["targets"] = ToBase64(targets);
  return OkStatus();
}

}  // namespace

Status WriteBundle(const std::string& path, const Publication& publication) {
  FERRY_ASSIGN_OR_RETURN(const auto file, sys::SystemFileSystem().OpenForWrite(
                                              path, sys::WriteMode::kTruncate, sys::kPublicFile));
  const Status written = WriteTo(*file, publication);
  if (!written.ok()) (void)sys::SystemFileSystem().RemoveTree(path);
  return written.Context("{}", path);
}

Result<Json> ReadBundleHeader(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(OpenBundle bundle, Open(path).Context("{}", path));
  return std::move(bundle.header);
}

Result<Json> UploadBundle(const Api& api, const std::string& path, const Bytes* targets) {
  FERRY_ASSIGN_OR_RETURN(const OpenBundle bundle, Open(path).Context("{}", path));
  FERRY_ASSIGN_OR_RETURN(const Json* publish, GetObject(bundle.header, "publish"));
  Json body = *publish;
  if (targets != nullptr) FERRY_TRY(ReplaceTargets(*targets, body).Context("{}", path));
  const std::string piece = fmt::format("{}.piece-{}", path, ::getpid());
  Status status;
  for (const OpenBundle::Item& item : bundle.items) {
    auto file = sys::SystemFileSystem().OpenForWrite(piece, sys::WriteMode::kTruncate);
    status = AsStatus(file);
    if (status.ok()) status = Copy(*bundle.file, item.offset, item.length, **file);
    if (status.ok()) status = (*file)->Close();
    Progress progress("uploading " + item.sha256.substr(0, 12));
    if (status.ok()) {
      status =
          AsStatus(api.PutFile("/content/" + item.sha256, piece,
                               [&](uint64_t done, uint64_t all) { progress.Show(done, all); }));
    }
    if (!status.ok()) break;
  }
  (void)sys::SystemFileSystem().RemoveTree(piece);
  FERRY_TRY(status);
  return PostTargets(api, body);
}

}  // namespace ferry::cli

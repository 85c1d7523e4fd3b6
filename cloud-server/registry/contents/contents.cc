#include "cloud-server/registry/contents/contents.h"

#include <algorithm>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/package/script_source.h"

namespace ferry::server {
namespace {

constexpr size_t kLengthAt = 12, kHashAt = 16;  // of the manifest, in the package's head

// Takes the range [begin, end) out of a stream and ends it there.
class StreamRange {
 public:
  StreamRange(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}

  Status Take(ByteView piece) {
    const uint64_t first = std::max(begin_, at_), last = std::min(end_, at_ + piece.size());
    if (first < last) {
      const ByteView part = piece.subspan(first - at_, last - first);
      bytes_.insert(bytes_.end(), part.begin(), part.end());
    }
    at_ += piece.size();
    return at_ < end_ ? OkStatus() : Status(Code::kCancelled, "that is enough");
  }
  bool complete() const { return bytes_.size() == end_ - begin_; }
  Bytes& bytes() { return bytes_; }

 private:
  const uint64_t begin_, end_;
  uint64_t at_ = 0;
  Bytes bytes_;
};

Result<Bytes> ReadRange(Registry& registry, const std::string& package, const std::string& version,
                        uint64_t begin, uint64_t end) {
  if (begin == end) return Bytes();
  StreamRange range(begin, end);
  const Status read =
      registry.ReadPackage(package, version, [&](ByteView piece) { return range.Take(piece); });
  if (range.complete()) return std::move(range.bytes());
  FERRY_TRY(read);
  return Status::Of(Code::kFailedPrecondition, "the content of {} {} is no package: it ends early",
                    package, version);
}

uint32_t LittleEndian(ByteView bytes) {
  uint32_t number = 0;
  for (int i = 3; i >= 0; --i) number = number << 8 | bytes[static_cast<size_t>(i)];
  return number;
}

struct Front {
  package::Manifest manifest;
  uint64_t content_start = 0;
};

Result<Front> ReadFront(Registry& registry, const std::string& package,
                        const std::string& version) {
  const auto is_none = [&](std::string_view why) {
    return Status::Of(Code::kFailedPrecondition, "the content of {} {} is no package: {}", package,
                      version, why);
  };
  FERRY_ASSIGN_OR_RETURN(const Bytes head,
                         ReadRange(registry, package, version, 0, package::kPackageHeaderBytes));
  if (!AsText(head).starts_with(package::kPackageMagic)) return is_none("it begins otherwise");
  const uint64_t length = LittleEndian(ByteView(head).subspan(kLengthAt, 4));
  if (length > package::kMaxManifestBytes) return is_none("its manifest is too long");
  const uint64_t end = package::kPackageHeaderBytes + length;
  FERRY_ASSIGN_OR_RETURN(const Bytes text,
                         ReadRange(registry, package, version, package::kPackageHeaderBytes, end));
  const crypto::Sha256Digest digest = crypto::Sha256(text);
  if (!std::equal(digest.begin(), digest.end(), head.begin() + kHashAt))
    return is_none("its manifest does not match its SHA-256");
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  Result<package::Manifest> manifest = package::ManifestFromJson(json);
  if (!manifest.ok()) return is_none(manifest.status().message());
  return Front{std::move(*manifest), package::AlignUp(end)};
}

// Every byte that is no ASCII belongs to a character as UTF-8 writes it, and there is no NUL.
bool IsText(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  const Result<Json> parsed = ParseJson(WriteJson(Json(std::string(text))));
  // Writing replaces what is not UTF-8.
  return parsed.ok() && parsed->is_string() && *parsed->get_ptr<const std::string*>() == text;
}

Result<Bytes> ReadChecked(Registry& registry, const PackageRow& row, const Front& front,
                          const package::FileEntry& file) {
  if (file.length > kMaxShownFileBytes)
    return Status::Of(Code::kLimitExceeded, "{} has {} bytes; at most {} are shown", file.path,
                      file.length, kMaxShownFileBytes);
  const uint64_t begin = front.content_start + file.offset;
  if (begin > kMaxReadThroughBytes)
    return Status::Of(Code::kLimitExceeded, "{} lies behind {} bytes; at most {} are read through",
                      file.path, begin, kMaxReadThroughBytes);
  FERRY_ASSIGN_OR_RETURN(Bytes bytes,
                         ReadRange(registry, row.name, row.version, begin, begin + file.length));
  if (crypto::Sha256(bytes) != file.sha256)
    return Status::Of(Code::kFailedPrecondition, "{} does not match its SHA-256", file.path);
  return bytes;
}

}  // namespace

Status CheckMayBeShown(const PackageRow& row) {
  if (row.requires_json.empty()) return OkStatus();
  FERRY_ASSIGN_OR_RETURN(const Json needs, ParseJson(row.requires_json));
  FERRY_ASSIGN_OR_RETURN(const std::string at_rest, GetStringOr(needs, "at_rest", ""));
  if (at_rest != "sealed") return OkStatus();
  return Status::Of(Code::kFailedPrecondition,
                    "{} {} is encrypted wherever it lies (at_rest \"sealed\"): look at it where it "
                    "was packed, by `ferry inspect`",
                    row.name, row.version);
}

Result<Json> ReadPackageManifest(Registry& registry, const std::string& package,
                                 const std::string& version) {
  FERRY_ASSIGN_OR_RETURN(const Front front, ReadFront(registry, package, version));
  return package::ManifestToJson(front.manifest);
}

Result<PackageText> ReadPackageText(Registry& registry, const PackageRow& row,
                                    const std::string& path) {
  FERRY_TRY(CheckMayBeShown(row));
  FERRY_ASSIGN_OR_RETURN(const Front front, ReadFront(registry, row.name, row.version));
  const auto& files = front.manifest.files;
  const auto file = std::ranges::find(files, path, &package::FileEntry::path);
  if (file == files.end())
    return Status::Of(Code::kNotFound, "{} {} has no file {}", row.name, row.version,
                      path.substr(0, package::kMaxPathBytes));
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, ReadChecked(registry, row, front, *file));
  PackageText shown;
  shown.length = file->length;
  shown.sha256 = ToHex(file->sha256);
  shown.text = std::string(AsText(bytes));
  if (path.ends_with(package::kCompiledSuffix)) {
    shown.is_source = true;
    shown.text = package::SourceOfCompiled(bytes);
    if (shown.text.empty())
      return Status::Of(Code::kFailedPrecondition,
                        "{} is compiled and carries no source (packed with --no-source)", path);
  }
  if (!IsText(shown.text))
    return Status::Of(Code::kFailedPrecondition, "{} is no text in UTF-8", path);
  return shown;
}

}  // namespace ferry::server

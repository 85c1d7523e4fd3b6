#include "common/package/reader.h"

#include "common/package/at_rest.h"
#include "common/package/manifest.h"
#include "common/sys/files/file_kind.h"

#include <algorithm>

namespace ferry::package {
namespace {

// An error, or, where damage is collected, one more of it.
Status Note(Status status, std::vector<Status>* damage) {
  if (status.ok() || damage == nullptr) return status;
  damage->push_back(std::move(status));
  return OkStatus();
}

// The manifest's text, between header and content.
Result<std::string_view> ManifestText(ByteView bytes, std::vector<Status>* damage) {
  if (bytes.size() < kPackageHeaderBytes) {
    const std::string_view kind = sys::FileKind(bytes);
    if (!kind.empty() && !AsText(bytes).starts_with(kPackageMagic)) {
      return Status::Of(Code::kBadPackage, "not a Ferry package, but {}", kind);
    }
    return Status::Of(Code::kTruncatedContent, "{} bytes, a package has a header of {}",
                      bytes.size(), kPackageHeaderBytes);
  }
  if (AsText(bytes.first(kAtRestMagic.size())) == kAtRestMagic) {
    return Status(Code::kWrongKey, "it is sealed at rest, and no key was given");
  }
  if (AsText(bytes.first(8)) != kPackageMagic) {
    const std::string_view kind = sys::FileKind(bytes);
    if (!kind.empty()) return Status::Of(Code::kBadPackage, "not a Ferry package, but {}", kind);
    FERRY_TRY(Note(
        Status(Code::kBadPackage, "not a Ferry package: it does not start with FERRYPKG"), damage));
  }
  if (const uint32_t format = GetU32(bytes.data() + 8); format != kPackageFormat) {
    return Status::Of(Code::kUnsupported, "package format {}, this reads {}", format,
                      kPackageFormat);
  }
  const size_t length = GetU32(bytes.data() + 12);
  if (length > kMaxManifestBytes) {
    return Status::Of(Code::kLimitExceeded, "a manifest of {} bytes, at most {}", length,
                      kMaxManifestBytes);
  }
  if (bytes.size() - kPackageHeaderBytes < length) {
    return Status(Code::kTruncatedContent, "the package ends within its manifest");
  }
  const ByteView text = bytes.subspan(kPackageHeaderBytes, length);
  const auto hash = crypto::Sha256(text);
  if (!std::equal(hash.begin(), hash.end(), bytes.data() + 16)) {
    FERRY_TRY(
        Note(Status(Code::kCorruptContent, "the manifest does not match its SHA-256"), damage));
  }
  return AsText(text);
}

Status CheckZeros(ByteView bytes, uint64_t from, uint64_t to) {
  for (uint64_t at = from; at < to; ++at) {
    if (bytes[at] != 0) {
      return Status::Of(Code::kBadPackage, "padding at offset {} is not zero", at);
    }
  }
  return OkStatus();
}

}  // namespace

Result<Package> Package::OpenNoting(ByteView bytes, std::vector<Status>* damage) {
  FERRY_ASSIGN_OR_RETURN(const std::string_view text, ManifestText(bytes, damage));
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("manifest"));
  FERRY_ASSIGN_OR_RETURN(Manifest manifest, ManifestFromJson(json).Context("manifest"));
  Package out;
  const uint64_t manifest_end = kPackageHeaderBytes + text.size();
  const uint64_t start = AlignUp(manifest_end);
  uint64_t end = start;
  if (!manifest.files.empty()) {
    const FileEntry& last = manifest.files.back();
    end = start + AlignUp(last.offset + last.length);
  }
  if (bytes.size() < end) {
    return Status::Of(Code::kTruncatedContent, "{} bytes, the manifest describes {}", bytes.size(),
                      end);
  }
  if (bytes.size() > end) {
    return Status::Of(Code::kBadPackage, "{} bytes, the manifest describes {}", bytes.size(), end);
  }
  FERRY_TRY(Note(CheckZeros(bytes, manifest_end, start), damage));
  for (const FileEntry& file : manifest.files) {
    const uint64_t file_end = file.offset + file.length;
    FERRY_TRY(Note(CheckZeros(bytes, start + file_end, start + AlignUp(file_end)), damage));
  }
  out.content_start_ = start;
  out.bytes_ = bytes;
  out.manifest_ = std::make_shared<const Manifest>(std::move(manifest));
  return out;
}

Result<Package> Package::Open(ByteView bytes) {
  return OpenNoting(bytes, nullptr);
}

Result<Package> Package::OpenDamaged(ByteView bytes, std::vector<Status>& damage) {
  auto package = OpenNoting(bytes, &damage);
  if (!package.ok() && !damage.empty()) return damage.front();  // what the rest follows from
  return package;
}

Result<Package> Package::OpenFile(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(std::shared_ptr<const sys::MappedFile> mapping, fs.Map(path));
  FERRY_ASSIGN_OR_RETURN(Package out, Open(mapping->bytes()).Context("{}", path));
  out.mapping_ = std::move(mapping);
  return out;
}

namespace {

const FileEntry* FindFile(const Manifest& manifest, std::string_view path) {
  const auto& files = manifest.files;
  const auto at = std::lower_bound(
      files.begin(), files.end(), path,
      [](const FileEntry& file, std::string_view wanted) { return file.path < wanted; });
  return at == files.end() || at->path != path ? nullptr : &*at;
}

Status Check(const Manifest& manifest, const FileEntry& file, ByteView bytes) {
  if (crypto::Sha256(bytes) == file.sha256) return OkStatus();
  return Status::Of(Code::kCorruptContent, "package {} {}: file \"{}\" does not match its SHA-256",
                    manifest.name, manifest.version, file.path);
}

}  // namespace

bool Package::Has(std::string_view path) const {
  return FindFile(*manifest_, path) != nullptr;
}

Result<ByteView> Package::File(std::string_view path) const {
  const FileEntry* file = FindFile(*manifest_, path);
  if (file == nullptr) {
    return Status::Of(Code::kNotFound, "package {} {} has no file \"{}\"", manifest_->name,
                      manifest_->version, path);
  }
  return bytes_.subspan(content_start_ + file->offset, file->length);
}

Result<ByteView> Package::VerifiedFile(std::string_view path) const {
  FERRY_ASSIGN_OR_RETURN(const ByteView bytes, File(path));
  FERRY_TRY(Check(*manifest_, *FindFile(*manifest_, path), bytes));
  return bytes;
}

Status Package::VerifyFiles() const {
  for (const FileEntry& file : manifest_->files) {
    FERRY_TRY(Check(*manifest_, file, bytes_.subspan(content_start_ + file.offset, file.length)));
  }
  return OkStatus();
}

}  // namespace ferry::package

#include "common/package/writer.h"

#include <algorithm>

#include "common/package/manifest.h"
#include "common/package/reader.h"
#include "common/sys/no_folder.h"

namespace ferry::package {
namespace {

constexpr uint8_t kZeros[kFileAlignment] = {};

size_t PaddingAfter(uint64_t length) {
  return static_cast<size_t>((kFileAlignment - length % kFileAlignment) % kFileAlignment);
}

Status FillFiles(Manifest& manifest, std::vector<SourceFile>& files) {
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  manifest.files.clear();
  uint64_t offset = 0;
  for (const SourceFile& file : files) {
    manifest.files.push_back({file.path, offset, file.bytes.size(), crypto::Sha256(file.bytes)});
    offset += file.bytes.size() + PaddingAfter(file.bytes.size());
    if (offset > kMaxPackageBytes) {
      return Status::Of(Code::kLimitExceeded, "package {}: more than {} bytes", manifest.name,
                        kMaxPackageBytes);
    }
  }
  // The reader's own checks decide what may be written.
  return AsStatus(ManifestFromJson(ManifestToJson(manifest))).Context("package {}", manifest.name);
}

Status WriteTo(const Manifest& manifest, const std::vector<SourceFile>& files,
               const std::function<Status(ByteView)>& sink) {
  const std::string text = WriteJson(ManifestToJson(manifest));
  if (text.size() > kMaxManifestBytes) {
    return Status::Of(Code::kLimitExceeded, "package {}: a manifest of {} bytes, at most {}",
                      manifest.name, text.size(), kMaxManifestBytes);
  }
  Bytes header(kPackageHeaderBytes);
  std::copy(kPackageMagic.begin(), kPackageMagic.end(), header.begin());
  PutU32(header.data() + 8, kPackageFormat);
  PutU32(header.data() + 12, static_cast<uint32_t>(text.size()));
  const auto hash = crypto::Sha256(AsBytes(text));
  std::copy(hash.begin(), hash.end(), header.begin() + 16);
  FERRY_TRY(sink(header));
  FERRY_TRY(sink(AsBytes(text)));
  FERRY_TRY(sink(ByteView(kZeros).first(PaddingAfter(kPackageHeaderBytes + text.size()))));
  for (const SourceFile& file : files) {
    FERRY_TRY(sink(file.bytes));
    FERRY_TRY(sink(ByteView(kZeros).first(PaddingAfter(file.bytes.size()))));
  }
  return OkStatus();
}

}  // namespace

Result<Bytes> WritePackage(Manifest manifest, std::vector<SourceFile> files) {
  FERRY_TRY(FillFiles(manifest, files));
  Bytes out;
  FERRY_TRY(WriteTo(manifest, files, [&out](ByteView piece) {
    out.insert(out.end(), piece.begin(), piece.end());
    return OkStatus();
  }));
  return out;
}

Status WritePackageFile(sys::FileSystem& fs, const std::string& path, Manifest manifest,
                        std::vector<SourceFile> files) {
  FERRY_TRY(FillFiles(manifest, files));
  const std::string partial = path + ".partial";
  auto opened = fs.OpenForWrite(partial, sys::WriteMode::kTruncate);
  if (opened.code() == Code::kNotFound) return sys::NoFolderFor(path);
  FERRY_TRY(opened.status().Context("writing {}", path));
  const auto file = std::move(*opened);
  Status written =
      WriteTo(manifest, files, [&file](ByteView piece) { return file->Append(piece); });
  if (written.ok()) written = file->Sync();
  if (written.ok()) written = file->Close();
  if (written.ok()) written = fs.Rename(partial, path);
  if (!written.ok()) (void)fs.RemoveTree(partial);
  return written;
}

}  // namespace ferry::package

#include "common/package/artefact.h"

#include <algorithm>
#include <optional>

#include "common/base/buffers.h"
#include "common/crypto/seal.h"
#include "common/package/delta/delta.h"

namespace ferry::package {
namespace {

constexpr size_t kReadBytes = 256 << 10;

// Gives what is sealed, piece by piece.
using SealedPieces = std::function<Status(const Sink&)>;

Result<SealedArtefact> SealTo(sys::WritableFile& file, ByteView plain, sys::Random& random,
                              const SealedPieces& make) {
  SealedArtefact out{crypto::Secret32::Generate(random), 0, {}, 0, {}};
  out.plain_length = plain.size();
  out.plain_sha256 = crypto::Sha256(plain);
  crypto::Sha256Stream hash;
  crypto::SealWriter writer(out.content_key, random, [&](ByteView piece) {
    hash.Update(piece);
    out.length += piece.size();
    return file.Append(piece);
  });
  FERRY_TRY(make([&](ByteView piece) { return writer.Write(piece); }));
  FERRY_TRY(writer.Finish());
  out.sha256 = hash.Finish();
  FERRY_TRY(file.Sync());
  FERRY_TRY(file.Close());
  return out;
}

Result<SealedArtefact> SealFile(sys::FileSystem& fs, const std::string& to, ByteView plain,
                                sys::Random& random, const SealedPieces& make) {
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(to, sys::WriteMode::kTruncate));
  auto out = SealTo(*file, plain, random, make);
  if (!out.ok()) (void)fs.RemoveTree(to);
  return out;
}

// Opens what was sealed: a zstd frame, or a delta of the other kind.
class ContentOpener {
 public:
  ContentOpener(ByteView base, uint64_t max_bytes, Sink sink)
      : base_(base), max_bytes_(max_bytes), sink_(std::move(sink)) {}

  Status Write(ByteView piece) {
    if (frame_) return frame_->Write(piece);
    if (patcher_) return patcher_->Write(piece);
    begin_.insert(begin_.end(), piece.begin(), piece.end());
    return begin_.size() < kTensorDeltaMagicBytes ? OkStatus() : Begin();
  }
  Status Finish() {
    if (!frame_ && !patcher_) FERRY_TRY(Begin());
    return frame_ ? frame_->Finish() : patcher_->Finish();
  }

 private:
  Status Begin() {
    if (!base_.empty() && IsTensorDelta(begin_)) {
      patcher_.emplace(base_, max_bytes_, sink_);
      return patcher_->Write(begin_);
    }
    frame_.emplace(base_, max_bytes_, sink_);
    return frame_->Write(begin_);
  }

  ByteView base_;
  uint64_t max_bytes_;
  Sink sink_;
  Bytes begin_;
  std::optional<Decompressor> frame_;
  std::optional<TensorPatcher> patcher_;
};

// Calls `take` with the pieces of a file, in order; gives the number of bytes.
Result<uint64_t> ReadPieces(sys::FileSystem& fs, const std::string& path,
                            const std::function<Status(ByteView)>& take) {
  FERRY_ASSIGN_OR_RETURN(const auto file, fs.OpenForRead(path));
  Bytes buffer(BufferBytes(kReadBytes));
  uint64_t at = 0;
  while (true) {
    FERRY_ASSIGN_OR_RETURN(const size_t read, file->ReadAt(at, buffer));
    if (read > 0) FERRY_TRY(take(ByteView(buffer).first(read)));
    at += read;
    if (read < buffer.size()) return at;
  }
}

Status CheckSealed(const std::string& path, uint64_t length, const crypto::Sha256Digest& sha256,
                   const trust::TargetEntry& entry) {
  if (length != entry.length) {
    return Status::Of(length < entry.length ? Code::kTruncatedContent : Code::kCorruptContent,
                      "{}: {} sealed bytes, signed were {}", path, length, entry.length);
  }
  if (sha256 == entry.sha256) return OkStatus();
  return Status::Of(Code::kCorruptContent, "{}: SHA-256 {:.12}, signed was {:.12}", path,
                    ToHex(sha256), ToHex(entry.sha256));
}

// Receives what comes out of the frame: writes, counts and hashes it.
struct PlainFile {
  sys::WritableFile& file;
  crypto::Sha256Stream hash;
  uint64_t length = 0;

  Status Take(ByteView piece) {
    hash.Update(piece);
    length += piece.size();
    return file.Append(piece);
  }
  Status Check(const trust::TargetEntry& entry) {
    if (length == entry.plain_length && hash.Finish() == entry.plain_sha256) return OkStatus();
    const Code code =
        entry.kind == trust::ArtefactKind::kDelta ? Code::kBadDelta : Code::kCorruptContent;
    return Status::Of(code, "{} {}: what came out ({} bytes) is not what was signed ({} bytes)",
                      entry.package, entry.version, length, entry.plain_length);
  }
};

Status OpenTo(sys::FileSystem& fs, const std::string& from, sys::WritableFile& file,
              const crypto::Secret32& content_key, const trust::TargetEntry& entry, ByteView base) {
  PlainFile plain{file, {}, 0};
  ContentOpener content(base, entry.plain_length,
                        [&](ByteView piece) { return plain.Take(piece); });
  crypto::SealOpener opener(content_key, entry.length,
                            [&](ByteView piece) { return content.Write(piece); });
  crypto::Sha256Stream hash;
  FERRY_ASSIGN_OR_RETURN(const uint64_t length, ReadPieces(fs, from, [&](ByteView piece) {
                           hash.Update(piece);
                           return opener.Write(piece);
                         }));
  FERRY_TRY(opener.Finish());
  FERRY_TRY(CheckSealed(from, length, hash.Finish(), entry));
  FERRY_TRY(content.Finish());
  FERRY_TRY(plain.Check(entry));
  FERRY_TRY(file.Sync());
  return file.Close();
}

}  // namespace

Result<SealedArtefact> SealDelta(sys::FileSystem& fs, const std::string& to, ByteView base,
                                 ByteView plain, sys::Random& random, const Progress& progress) {
  FERRY_ASSIGN_OR_RETURN(SealedArtefact best,
                         SealFile(fs, to, plain, random, [&](const Sink& sink) {
                           return MakeTensorDelta(base, plain, sink, progress);
                         }));
  if (base.size() + plain.size() > kMaxPatchFromBytes) return best;
  const std::string other = to + ".other";
  auto patch = SealFile(fs, other, plain, random,
                        [&](const Sink& sink) { return CompressTo(base, plain, sink); });
  if (!patch.ok()) {
    (void)fs.RemoveTree(to);
    return patch.status();
  }
  if (patch->length >= best.length) {
    FERRY_TRY(fs.Remove(other));
    return best;
  }
  FERRY_TRY(fs.Rename(other, to));
  return patch;
}

Result<SealedArtefact> SealArtefact(sys::FileSystem& fs, const std::string& to, ByteView plain,
                                    sys::Random& random, const Progress& progress) {
  return SealFile(fs, to, plain, random,
                  [&](const Sink& sink) { return CompressTo({}, plain, sink, progress); });
}

Status OpenArtefact(sys::FileSystem& fs, const std::string& from, const std::string& to,
                    const crypto::Secret32& content_key, const trust::TargetEntry& entry,
                    ByteView base) {
  const bool delta = entry.kind == trust::ArtefactKind::kDelta;
  if (delta && (base.empty() || crypto::Sha256(base) != entry.base_sha256)) {
    return Status::Of(Code::kBadDelta, "{} {}: the base at hand is not version {}", entry.package,
                      entry.version, entry.base_version.value_or(""));
  }
  FERRY_ASSIGN_OR_RETURN(auto file, fs.OpenForWrite(to, sys::WriteMode::kTruncate));
  const Status opened = OpenTo(fs, from, *file, content_key, entry, delta ? base : ByteView{});
  if (!opened.ok()) (void)fs.RemoveTree(to);
  return opened.Context("opening {} {}", entry.package, entry.version);
}

Status CheckSealedFile(sys::FileSystem& fs, const std::string& path,
                       const trust::TargetEntry& entry) {
  crypto::Sha256Stream hash;
  FERRY_ASSIGN_OR_RETURN(const uint64_t length, ReadPieces(fs, path, [&](ByteView piece) {
                           hash.Update(piece);
                           return OkStatus();
                         }));
  return CheckSealed(path, length, hash.Finish(), entry);
}

}  // namespace ferry::package

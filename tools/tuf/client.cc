#include "tools/tuf/client.h"

#include "common/sys/clock.h"
#include "common/sys/filesystem.h"
#include "tools/tuf/http.h"

namespace ferry::tuf {
namespace {

// Trusted metadata as files of a folder.
class FolderKeep final : public Keep {
 public:
  explicit FolderKeep(std::string folder) : folder_(std::move(folder)) {}

  Result<Bytes> Load(const std::string& name) override {
    return sys::ReadFile(sys::SystemFileSystem(), folder_ + "/" + name, kMaxMetadataBytes);
  }
  Status Save(const std::string& name, ByteView document) override {
    return sys::WriteFileAtomically(sys::SystemFileSystem(), folder_ + "/" + name, document,
                                    sys::kPublicFile);
  }
  Status Drop(const std::string& name) override {
    const Status status = sys::SystemFileSystem().Remove(folder_ + "/" + name);
    return status.code() == Code::kNotFound ? OkStatus() : status;
  }

 private:
  std::string folder_;
};

Status CheckFile(const std::string& path, const TargetFile& file) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, sys::SystemFileSystem().Stat(path));
  if (info.size != file.length) {
    return Status::Of(Code::kCorruptContent, "{}: {} bytes, {} were signed", path, info.size,
                      file.length);
  }
  if (info.size == 0) return CheckHashes({}, file.hashes, path);
  FERRY_ASSIGN_OR_RETURN(const auto mapped, sys::SystemFileSystem().Map(path));
  return CheckHashes(mapped->bytes(), file.hashes, path);
}

// Into `path`, in place only when it is what was signed.
Status FetchTarget(HttpFolder& from, const std::string& location, const TargetFile& file,
                   const std::string& path) {
  const std::string part = path + ".part";
  FERRY_ASSIGN_OR_RETURN(const auto out,
                         sys::SystemFileSystem().OpenForWrite(part, sys::WriteMode::kTruncate));
  Status status =
      from.Get(location, file.length, [&](ByteView piece) { return out->Append(piece); });
  if (status.ok()) status = out->Sync();
  const Status closed = out->Close();
  if (status.ok()) status = closed;
  if (status.ok()) status = CheckFile(part, file);
  if (status.ok()) status = sys::SystemFileSystem().Rename(part, path);
  if (!status.ok()) (void)sys::SystemFileSystem().Remove(part);
  return status;
}

}  // namespace

Status Init(const ClientOptions& options, const std::string& trusted_root) {
  FERRY_ASSIGN_OR_RETURN(const Bytes root,
                         sys::ReadFile(sys::SystemFileSystem(), trusted_root, kMaxRootBytes));
  FERRY_TRY(Verifier::FromRoot(root));
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(options.metadata_dir));
  return FolderKeep(options.metadata_dir).Save("root.json", root);
}

Status Refresh(const ClientOptions& options) {
  FERRY_ASSIGN_OR_RETURN(HttpFolder from, HttpFolder::Open(options.metadata_url, options.ca));
  FolderKeep keep(options.metadata_dir);
  return Updater(from, keep, sys::SystemClock().NowUnixMs()).Refresh();
}

Status Download(const ClientOptions& options) {
  FERRY_ASSIGN_OR_RETURN(HttpFolder from, HttpFolder::Open(options.metadata_url, options.ca));
  FERRY_ASSIGN_OR_RETURN(HttpFolder targets,
                         HttpFolder::Open(options.target_base_url, options.ca, options.token));
  FolderKeep keep(options.metadata_dir);
  Updater updater(from, keep, sys::SystemClock().NowUnixMs());
  FERRY_TRY(updater.Refresh());
  FERRY_TRY(sys::SystemFileSystem().MakeDirectories(options.target_dir));
  for (const std::string& name : options.target_names) {
    FERRY_ASSIGN_OR_RETURN(const TargetFile file, updater.Find(name));
    const std::string path = options.target_dir + "/" + Quoted(name);
    if (CheckFile(path, file).ok()) continue;
    FERRY_ASSIGN_OR_RETURN(const std::string location, TargetLocation(updater.root(), name, file));
    FERRY_TRY(FetchTarget(targets, location, file, path));
  }
  return OkStatus();
}

}  // namespace ferry::tuf

#include "tools/ferry/remote/mirror.h"

#include <map>

#include "common/crypto/hash.h"
#include "common/sys/filesystem.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

struct Content {
  std::string path;  // of one artefact that has it
  uint64_t length = 0;
};
using Contents = std::map<std::string, Content>;  // by SHA-256

constexpr const char* kPartSuffix = ".part";

Status AddVersion(const Api& api, const std::string& name, const std::string& version,
                  Contents* contents) {
  FERRY_ASSIGN_OR_RETURN(const Json shown,
                         api.Get("/packages/" + PathPart(name) + "/" + PathPart(version)));
  FERRY_ASSIGN_OR_RETURN(const Json* artefacts, GetArray(shown, "artefacts"));
  for (const Json& artefact : *artefacts) {
    FERRY_ASSIGN_OR_RETURN(const std::string sha256, GetString(artefact, "sha256"));
    FERRY_ASSIGN_OR_RETURN(const std::string path, GetString(artefact, "path"));
    FERRY_ASSIGN_OR_RETURN(const int64_t length, GetInt(artefact, "length"));
    const bool is_hash =
        sha256.size() == 64 && sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_hash || length < 0)
      return Status::Of(Code::kMalformed, "{} {}: an artefact without a hash", name, version);
    contents->insert({sha256, {path, static_cast<uint64_t>(length)}});
  }
  return OkStatus();
}

Result<Contents> AllContents(const Api& api) {
  Contents contents;
  for (std::string cursor;;) {
    FERRY_ASSIGN_OR_RETURN(
        const Json page,
        api.Get("/packages?limit=500" + (cursor.empty() ? "" : "&cursor=" + PathPart(cursor))));
    FERRY_ASSIGN_OR_RETURN(const Json* packages, GetArray(page, "packages"));
    for (const Json& package : *packages) {
      FERRY_ASSIGN_OR_RETURN(const std::string name, GetString(package, "name"));
      FERRY_ASSIGN_OR_RETURN(const std::string version, GetString(package, "version"));
      FERRY_TRY(AddVersion(api, name, version, &contents));
    }
    const auto next = page.find("next_cursor");
    if (packages->empty() || next == page.end() || !next->is_string()) return contents;
    cursor = next->get<std::string>();
  }
}

std::string TargetPath(const std::string& path) {
  std::string out = "/tuf/targets";
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    out += "/" + PathPart(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Status Fetch(const Api& api, sys::FileSystem& fs, const std::string& sha256, const Content& content,
             const std::string& file) {
  const std::string part = file + kPartSuffix;
  FERRY_ASSIGN_OR_RETURN(auto out, fs.OpenForWrite(part, sys::WriteMode::kTruncate));
  crypto::Sha256Stream hash;
  uint64_t got = 0;
  FERRY_TRY(api.GetBytes(TargetPath(content.path), [&](ByteView piece) -> Status {
    got += piece.size();
    if (got > content.length)
      return Status::Of(Code::kCorruptContent, "{}: longer than was said", content.path);
    hash.Update(piece);
    return out->Append(piece);
  }));
  FERRY_TRY(out->Sync());
  FERRY_TRY(out->Close());
  if (ToHex(hash.Finish()) != sha256)
    return Status::Of(Code::kCorruptContent, "{}: not what it is called", content.path);
  return fs.Rename(part, file);
}

Result<int64_t> RemoveOthers(sys::FileSystem& fs, const std::string& folder,
                             const Contents& contents) {
  int64_t removed = 0;
  FERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, fs.List(folder));
  for (const std::string& name : names) {
    if (contents.contains(name)) continue;
    FERRY_TRY(fs.Remove(sys::JoinPath(folder, name)));
    ++removed;
  }
  return removed;
}

}  // namespace

Result<MirrorOutcome> SyncMirror(const Api& api, const std::string& folder, bool remove) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  const std::string place = sys::JoinPath(folder, "content");
  FERRY_TRY(fs.MakeDirectories(place));
  FERRY_ASSIGN_OR_RETURN(const Contents contents, AllContents(api));
  MirrorOutcome outcome;
  outcome.files = static_cast<int64_t>(contents.size());
  uint64_t lacks = 0;
  const auto is_there = [&](const std::string& sha256, const Content& content) {
    const auto info = fs.Stat(sys::JoinPath(place, sha256));
    return info.ok() && info->size == content.length;
  };
  for (const auto& [sha256, content] : contents)
    if (!is_there(sha256, content)) lacks += content.length;
  Progress progress("fetching content");
  for (const auto& [sha256, content] : contents) {
    if (is_there(sha256, content)) continue;
    FERRY_TRY(Fetch(api, fs, sha256, content, sys::JoinPath(place, sha256)));
    ++outcome.fetched;
    outcome.bytes += content.length;
    progress.Show(outcome.bytes, lacks);
  }
  FERRY_TRY(fs.SyncDirectory(place));
  if (remove) {
    FERRY_ASSIGN_OR_RETURN(outcome.removed, RemoveOthers(fs, place, contents));
  }
  return outcome;
}

}  // namespace ferry::cli

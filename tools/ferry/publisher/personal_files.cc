#include "tools/ferry/publisher/personal_files.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/package/artefact.h"
#include "common/package/wrap.h"
#include "common/trust/documents/personal/personal.h"
#include "common/trust/root.h"
#include "tools/ferry/progress.h"

namespace ferry::cli {
namespace {

constexpr size_t kFilesOfOneCall = 200;

// Of files that are being sealed; goes with this.
class SealingFolder {
 public:
  SealingFolder()
      : path_(
            (std::filesystem::temp_directory_path() / fmt::format("ferry-personal-{}", ::getpid()))
                .string()) {}
  ~SealingFolder() { (void)sys::SystemFileSystem().RemoveTree(path_); }
  Status Make() const { return sys::SystemFileSystem().MakeDirectories(path_); }
  std::string File() const { return path_ + "/sealed"; }

 private:
  std::string path_;
};

Result<trust::PublicKey> EscrowKeyOf(const Api& api) {
  FERRY_ASSIGN_OR_RETURN(const Json answer, api.Get("/metadata/root"));
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(answer, "document"));
  FERRY_ASSIGN_OR_RETURN(const Bytes document, FromBase64(text).Context("document"));
  FERRY_ASSIGN_OR_RETURN(const trust::Root root, trust::ParseSelfSignedRoot(document));
  return root.escrow;
}

// Seals and uploads one; what the server's call needs of it.
Result<Json> SealOne(const Api& api, const SealingFolder& folder, const trust::PublicKey& escrow,
                     const std::string& package, const PersonalInput& input) {
  FERRY_TRY(trust::CheckDataName(input.name).Context("{}", input.file));
  FERRY_ASSIGN_OR_RETURN(const Bytes plain, sys::ReadFile(sys::SystemFileSystem(), input.file,
                                                          trust::kMaxPersonalFileBytes));
  FERRY_ASSIGN_OR_RETURN(
      const package::SealedArtefact sealed,
      package::SealArtefact(sys::SystemFileSystem(), folder.File(), plain, sys::SystemRandom()));
  trust::TargetEntry entry = trust::PersonalEntry(package);
  entry.length = sealed.length;
  entry.sha256 = sealed.sha256;
  entry.plain_length = sealed.plain_length;
  entry.plain_sha256 = sealed.plain_sha256;
  FERRY_ASSIGN_OR_RETURN(
      const package::WrappedKey wrapped,
      package::WrapForEscrow(escrow, entry, sealed.content_key, sys::SystemRandom()));
  FERRY_TRY(api.PutFile("/content/" + ToHex(entry.sha256), folder.File(), nullptr)
                .Context("uploading {}", input.file));
  return Json{{"device", input.device},
              {"name", input.name},
              {"entry", trust::TargetEntryToJson(entry)},
              {"enc", ToBase64(wrapped.enc)},
              {"sealed", ToBase64(wrapped.sealed)}};
}

Result<PersonalInput> ReadLine(const std::string& line) {
  PersonalInput out;
  if (line.starts_with('{')) {
    FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(line));
    FERRY_ASSIGN_OR_RETURN(out.device, GetString(json, "device"));
    FERRY_ASSIGN_OR_RETURN(out.file, GetString(json, "file"));
    FERRY_ASSIGN_OR_RETURN(out.name, GetStringOr(json, "name", ""));
    return out;
  }
  const size_t first = line.find(','), second = line.find(',', first + 1);
  if (first == std::string::npos)
    return Status(Code::kInvalidArgument, "wanted device,file[,name] or a JSON object");
  out.device = line.substr(0, first);
  out.file = line.substr(first + 1, second == std::string::npos ? second : second - first - 1);
  if (second != std::string::npos) out.name = line.substr(second + 1);
  return out;
}

}  // namespace

std::string NameOfPersonal(const std::string& file) {
  return file.substr(file.rfind('/') + 1);
}

Result<std::vector<PersonalInput>> ReadPersonalMap(const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes,
                         sys::ReadFile(sys::SystemFileSystem(), path, kMaxMapBytes));
  const std::string folder = path.find('/') == std::string::npos ? "." : sys::ParentPath(path);
  std::vector<PersonalInput> out;
  std::string_view rest = AsText(bytes);
  for (size_t number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    auto input = ReadLine(line);
    if (!input.ok() || input->device.empty() || input->file.empty())
      return Status::Of(
          Code::kInvalidArgument, "{}, line {}: {}", path, number,
          input.ok() ? "a device and a file must be named" : std::string(input.status().message()));
    if (!input->file.starts_with('/')) input->file = sys::JoinPath(folder, input->file);
    if (input->name.empty()) input->name = NameOfPersonal(input->file);
    out.push_back(*std::move(input));
    if (out.size() > kMaxMapLines)
      return Status::Of(Code::kLimitExceeded, "{} has more than {} files", path, kMaxMapLines);
  }
  if (out.empty()) return Status::Of(Code::kInvalidArgument, "{} names no file", path);
  return out;
}

Result<Json> PutPersonal(const Api& api, const std::string& package,
                         const std::vector<PersonalInput>& inputs) {
  FERRY_ASSIGN_OR_RETURN(const trust::PublicKey escrow, EscrowKeyOf(api));
  const SealingFolder folder;
  FERRY_TRY(folder.Make());
  std::set<std::string> devices;
  Progress progress("giving files to devices");
  for (size_t begin = 0; begin < inputs.size(); begin += kFilesOfOneCall) {
    Json put = Json::array();
    for (size_t i = begin; i < std::min(begin + kFilesOfOneCall, inputs.size()); ++i) {
      FERRY_ASSIGN_OR_RETURN(Json one, SealOne(api, folder, escrow, package, inputs[i]));
      put.push_back(std::move(one));
      devices.insert(inputs[i].device);
      progress.Show(i, inputs.size());
    }
    auto answer = api.Post("/personal", {{"package", package}, {"put", std::move(put)}});
    if (!answer.ok() && begin > 0)
      return answer.status().Context("after {} files that were given", begin);
    FERRY_TRY(answer);
  }
  return Json{{"package", package}, {"put", inputs.size()}, {"devices", devices.size()}};
}

}  // namespace ferry::cli

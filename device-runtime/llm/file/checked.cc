#include "device-runtime/llm/file/checked.h"

#include <algorithm>

#include "common/crypto/hash.h"

namespace ferry::llm {
namespace {

// The prefix of a model file has the checksum of its header, which has those of all sections.
constexpr size_t kHeadBytes = 4096;

std::string MarkOf(const sys::FileInfo& info, ByteView bytes) {
  if (std::all_of(info.identity.begin(), info.identity.end(), [](int64_t n) { return n == 0; })) {
    return "";
  }
  crypto::Sha256Stream all;
  for (int64_t number : info.identity) {
    all.Update(AsBytes(std::to_string(number)));
    all.Update(AsBytes(" "));
  }
  all.Update(AsBytes(std::to_string(info.size)));
  all.Update(AsBytes(" "));
  all.Update(bytes.first(std::min(bytes.size(), kHeadBytes)));
  return ToHex(all.Finish()) + ".checked";
}

}  // namespace

CheckedFile::CheckedFile(sys::FileSystem& fs, std::string folder, const sys::FileInfo& info,
                         ByteView bytes)
    : fs_(fs), folder_(std::move(folder)), mark_(MarkOf(info, bytes)) {}

bool CheckedFile::known() const {
  return !mark_.empty() && fs_.Stat(sys::JoinPath(folder_, mark_)).ok();
}

void CheckedFile::Remember() const {
  if (mark_.empty() || !fs_.MakeDirectories(folder_).ok()) return;
  const Result<std::vector<std::string>> marks = fs_.List(folder_);
  if (marks.ok() && marks->size() >= kMaxMarks) {
    for (const std::string& mark : *marks) {
      if (mark.ends_with(".checked")) (void)fs_.Remove(sys::JoinPath(folder_, mark));
    }
  }
  (void)sys::WriteFileAtomically(fs_, sys::JoinPath(folder_, mark_), {});
}

}  // namespace ferry::llm

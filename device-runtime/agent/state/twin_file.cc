#include "device-runtime/agent/state/twin_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "common/crypto/hash.h"

namespace ferry::agent {
namespace {

constexpr std::string_view kMagic = "ferry-twin 1 ";

std::string HeaderOf(uint64_t number, ByteView body) {
  return fmt::format("{}{} {} {}\n", kMagic, number, body.size(), crypto::Sha256Hex(body));
}

// The number of a header, without leave to be anything but what HeaderOf writes for `body`.
std::optional<uint64_t> NumberIn(std::string_view header, ByteView body) {
  uint64_t number = 0;
  const char* begin = header.data() + kMagic.size();
  const auto [end, error] = std::from_chars(begin, header.data() + header.size(), number);
  if (error != std::errc() || HeaderOf(number, body) != header) return std::nullopt;
  return number;
}

bool IsOfTheContent(Code code) {
  return code == Code::kLimitExceeded || code == Code::kIo;
}

}  // namespace

struct TwinFile::Copy {
  bool there = false;
  bool sealed = false;  // has a header that verifies
  uint64_t number = 0;
  Bytes body;
  std::string damage;
};

Result<TwinFile::Copy> TwinFile::ReadCopy(const std::string& path, uint64_t max_bytes) const {
  Copy copy;
  auto text = sys::ReadFile(*fs_, path, max_bytes + kMaxTwinHeader);
  if (text.code() == Code::kNotFound) return copy;
  copy.there = true;
  if (!text.ok()) {
    if (!IsOfTheContent(text.code())) return text.status();
    copy.damage = text.status().message();
    return copy;
  }
  const std::string_view all = AsText(*text);
  if (!all.starts_with(kMagic)) {
    copy.body = std::move(*text);
    return copy;
  }
  const size_t line = std::min(all.find('\n'), all.size() - 1) + 1;
  const ByteView body = ByteView(*text).subspan(line);
  const auto number = NumberIn(all.substr(0, line), body);
  if (!number) {
    copy.damage = fmt::format("{}: the content is not of its checksum", path);
    return copy;
  }
  copy.sealed = true;
  copy.number = *number;
  copy.body = ToBytes(body);
  return copy;
}

Result<Bytes> TwinFile::Read(uint64_t max_bytes, const Check& check) {
  damage_.clear();
  std::vector<Copy> copies;
  for (const std::string& path : {path_, path_ + kSecondCopy}) {
    FERRY_ASSIGN_OR_RETURN(Copy copy, ReadCopy(path, max_bytes));
    if (copy.there && copy.damage.empty()) {
      if (Status usable = check(copy.body); !usable.ok()) {
        copy.damage = fmt::format("{}: {}", path, usable.message());
      }
    }
    if (!copy.damage.empty()) damage_ += (damage_.empty() ? "" : "; ") + copy.damage;
    if (copy.sealed) number_ = std::max(number_, copy.number);
    copies.push_back(std::move(copy));
  }
  stale_ = !copies[0].sealed || !copies[1].sealed || copies[0].number != copies[1].number;
  if (!copies[0].there && !copies[1].there) {
    return Status::Of(Code::kNotFound, "{} does not exist", path_);
  }
  std::erase_if(copies, [](const Copy& copy) { return !copy.there || !copy.damage.empty(); });
  if (copies.empty()) return Status(Code::kCorruptContent, damage_);
  return std::move(std::max_element(copies.begin(), copies.end(), [](const Copy& a, const Copy& b) {
                     return std::pair(a.sealed, a.number) < std::pair(b.sealed, b.number);
                   })->body);
}

Status TwinFile::Write(ByteView body) {
  ++number_;
  Bytes text = ToBytes(AsBytes(HeaderOf(number_, body)));
  text.insert(text.end(), body.begin(), body.end());
  stale_ = true;
  FERRY_TRY(sys::WriteFileAtomically(*fs_, path_, text));
  FERRY_TRY(sys::WriteFileAtomically(*fs_, path_ + kSecondCopy, text));
  stale_ = false;
  damage_.clear();
  return OkStatus();
}

Status TwinFile::SetAside() {
  for (const std::string& path : {path_, path_ + kSecondCopy}) {
    if (sys::Exists(*fs_, path)) FERRY_TRY(fs_->Rename(path, path + kSetAside));
  }
  return fs_->SyncDirectory(sys::ParentPath(path_));
}

bool TwinExists(sys::FileSystem& fs, const std::string& path) {
  return sys::Exists(fs, path) || sys::Exists(fs, path + kSecondCopy);
}

}  // namespace ferry::agent

#include "device-runtime/llm/kv/prefix_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "common/crypto/hash.h"
#include "common/sys/random.h"

namespace ferry::llm {
namespace {

constexpr std::string_view kPageMark = "ferry kv page 1";
constexpr std::string_view kPageEnd = ".page";
constexpr size_t kHashBytes = 32;
constexpr auto kPageTokens = static_cast<size_t>(kPositionsOfPage);

// A page's file: the mark, whether the part of windows is there, what the page is of, the checksum
// of the numbers, and the numbers.
constexpr size_t kPageHead = kPageMark.size() + 1 + 2 * kHashBytes;

// Of the page that ends behind `tokens`, given that of the page before.
Digest NextPage(const Digest& before, std::span<const TokenId> tokens) {
  crypto::Sha256Stream hash;
  hash.Update(before);
  hash.Update({reinterpret_cast<const uint8_t*>(tokens.data()), tokens.size_bytes()});
  return hash.Finish();
}

std::string NameOfPage(const Digest& page) {
  return ToHex(page) + std::string(kPageEnd);
}

Digest NumbersHash(ByteView bytes, ByteView window) {
  crypto::Sha256Stream hash;
  hash.Update(bytes);
  hash.Update(window);
  return hash.Finish();
}

// One page read into page `at` of `kv`; false: it is damaged, or of something else.
bool TakePage(ByteView file, const Digest& page, int64_t at_page, KvSequence* kv,
              bool* has_window) {
  const auto bytes_size = static_cast<size_t>(kv->page_bytes());
  const auto window_size = static_cast<size_t>(kv->window_bytes(at_page));
  if (file.size() < kPageHead ||
      std::memcmp(file.data(), kPageMark.data(), kPageMark.size()) != 0) {
    return false;
  }
  const uint8_t* at = file.data() + kPageMark.size();
  if (*at > (window_size == 0 ? 0 : 1)) return false;
  *has_window = *at++ != 0;
  if (file.size() != kPageHead + bytes_size + (*has_window ? window_size : 0)) return false;
  if (std::memcmp(at, page.data(), kHashBytes) != 0) return false;
  const ByteView bytes = file.subspan(kPageHead, bytes_size);
  const ByteView window = file.subspan(kPageHead + bytes_size);
  const Digest found = NumbersHash(bytes, window);
  if (std::memcmp(at + kHashBytes, found.data(), kHashBytes) != 0) return false;
  kv->WritePage(at_page, bytes, window);
  return true;
}

}  // namespace

Digest PrefixKey(const PrefixInputs& inputs) {
  crypto::Sha256Stream hash;
  hash.Update(AsBytes(kPageMark));
  hash.Update(inputs.model);
  hash.Update(inputs.adapters);
  hash.Update(AsBytes(fmt::format(" {} {} {} {}", inputs.isa, inputs.exact, KvTypeName(inputs.type),
                                  kPositionsOfPage)));
  return hash.Finish();
}

PrefixFiles::PrefixFiles(sys::FileSystem& fs, std::string folder, int64_t limit_bytes)
    : fs_(fs), folder_(std::move(folder)), limit_bytes_(limit_bytes) {}

Status PrefixFiles::Read(const Digest& key, std::span<const TokenId> tokens, KvSequence* kv) const {
  const size_t begin = static_cast<size_t>(kv->length()) / kPageTokens;
  const size_t pages = tokens.empty() ? 0 : (tokens.size() - 1) / kPageTokens;
  Digest page = key;
  std::vector<bool> windows(begin, true);
  for (size_t p = 0; p < pages; ++p) {
    page = NextPage(page, tokens.subspan(p * kPageTokens, kPageTokens));
    if (p < begin) continue;
    const std::string path = sys::JoinPath(folder_, NameOfPage(page));
    const auto file = fs_.Map(path);
    if (!file.ok()) break;
    FERRY_TRY(kv->Reserve(kPositionsOfPage));
    bool has_window = false;
    if (!TakePage((*file)->bytes(), page, static_cast<int64_t>(p), kv, &has_window)) {
      (void)fs_.Remove(path);
      break;
    }
    windows.push_back(has_window);
    kv->Advance(kPositionsOfPage);
  }
  // Behind the last page rows see a window: the prefix ends where that is whole.
  size_t kept = windows.size();
  const auto whole = [&](size_t count) {
    const size_t from = count - std::min(count, static_cast<size_t>(kv->window_pages()));
    return std::all_of(windows.begin() + static_cast<ptrdiff_t>(from),
                       windows.begin() + static_cast<ptrdiff_t>(count), [](bool w) { return w; });
  };
  while (kept > 0 && !whole(kept)) --kept;
  kv->Truncate(std::min(kv->length(), static_cast<int64_t>(kept) * kPositionsOfPage));
  return OkStatus();
}

void PrefixFiles::Write(const Digest& key, std::span<const TokenId> tokens,
                        const KvSequence& kv) const {
  const auto known = std::min<int64_t>(kv.length(), static_cast<int64_t>(tokens.size()));
  const int64_t pages = known / kPositionsOfPage;
  if (pages < kLeastPrefixPages || !fs_.MakeDirectories(folder_).ok()) return;
  struct Missing {
    int64_t page;
    Digest name;
  };
  std::vector<Missing> missing;
  Digest name = key;
  int64_t bytes = 0;
  for (int64_t p = 0; p < pages; ++p) {
    name = NextPage(name, tokens.subspan(static_cast<size_t>(p) * kPageTokens, kPageTokens));
    if (fs_.Stat(sys::JoinPath(folder_, NameOfPage(name))).ok()) continue;
    missing.push_back({p, name});
    bytes += static_cast<int64_t>(kPageHead) + kv.page_bytes() + kv.window_bytes(p);
  }
  if (bytes > limit_bytes_) return;
  if (!missing.empty()) MakeRoom(bytes);
  for (const auto& [p, hash] : missing) {
    const auto [numbers, window] = kv.ReadPage(p);
    const Digest sum = NumbersHash(numbers, window);
    Bytes file = ToBytes(kPageMark);
    file.push_back(window.empty() ? 0 : 1);
    file.insert(file.end(), hash.begin(), hash.end());
    file.insert(file.end(), sum.begin(), sum.end());
    file.insert(file.end(), numbers.begin(), numbers.end());
    file.insert(file.end(), window.begin(), window.end());
    if (!WritePage(NameOfPage(hash), file).ok()) return;
  }
}

// Complete or not there; not synced, for the checksum tells what a power cut left.
Status PrefixFiles::WritePage(const std::string& name, ByteView bytes) const {
  std::array<uint8_t, 8> mark;
  sys::SystemRandom().Fill(mark);
  const std::string part = sys::JoinPath(folder_, name + "." + ToHex(mark) + ".part");
  const auto write = [&]() -> Status {
    FERRY_ASSIGN_OR_RETURN(const auto file, fs_.OpenForWrite(part, sys::WriteMode::kTruncate));
    FERRY_TRY(file->Append(bytes));
    FERRY_TRY(file->Close());
    return fs_.Rename(part, sys::JoinPath(folder_, name));
  };
  const Status status = write();
  if (!status.ok()) (void)fs_.Remove(part);
  return status;
}

void PrefixFiles::MakeRoom(int64_t bytes) const {
  const auto names = fs_.List(folder_);
  if (!names.ok()) return;
  struct Page {
    std::string path;
    int64_t size, written_ns;
  };
  std::vector<Page> pages;
  int64_t held = 0;
  for (const std::string& name : *names) {
    if (!name.ends_with(kPageEnd)) continue;
    const std::string path = sys::JoinPath(folder_, name);
    const auto info = fs_.Stat(path);
    if (!info.ok()) continue;
    pages.push_back({path, static_cast<int64_t>(info->size), info->identity[2]});
    held += pages.back().size;
  }
  std::sort(pages.begin(), pages.end(),
            [](const Page& a, const Page& b) { return a.written_ns < b.written_ns; });
  for (const Page& page : pages) {
    if (held + bytes <= limit_bytes_) return;
    if (fs_.Remove(page.path).ok()) held -= page.size;
  }
}

}  // namespace ferry::llm

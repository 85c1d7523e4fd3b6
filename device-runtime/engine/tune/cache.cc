#include "device-runtime/engine/tune/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/base/log.h"
#include "device-runtime/engine/model/crc64.h"

namespace ferry::engine {
namespace {

bool IsKept(const std::string& text) {
  return !text.empty() && text.size() <= kMaxFindingText &&
         text.find_first_of("\t\r\n") == std::string::npos;
}

// Cuts the first line off.
Result<std::string_view> Line(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return Status::Of(Code::kMalformed, "a line has no end");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

template <typename T>
bool ParseNumber(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Result<Finding> ParseFinding(std::string_view line) {
  const size_t first = line.find('\t');
  const size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
  Finding finding;
  if (second == std::string_view::npos || !ParseNumber(line.substr(second + 1), finding.us) ||
      !std::isfinite(finding.us) || finding.us < 0) {
    return Status::Of(Code::kMalformed, "a line is no finding");
  }
  finding.key = line.substr(0, first);
  finding.choice = line.substr(first + 1, second - first - 1);
  if (!IsKept(finding.key) || !IsKept(finding.choice)) {
    return Status::Of(Code::kMalformed, "a finding's text is too long or empty");
  }
  return finding;
}

std::string EndLine(size_t count, std::string_view before) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(before.data());
  return fmt::format("end {} {:016x}\n", count, Crc64(ByteView(bytes, before.size())));
}

}  // namespace

Result<TuningCache> TuningCache::Parse(std::string_view text, std::string device) {
  if (text.size() > kMaxTuningBytes) return Status::Of(Code::kMalformed, "{} bytes", text.size());
  std::string_view rest = text;
  FERRY_ASSIGN_OR_RETURN(const std::string_view title, Line(rest));
  if (!title.starts_with("ferry tuning ")) {
    return Status::Of(Code::kMalformed, "not a file of findings");
  }
  if (title != fmt::format("ferry tuning {}", kTuningVersion)) {
    return Status::Of(Code::kUnsupported, "'{}' is of another version",
                      title.substr(0, kMaxFindingText));
  }
  FERRY_ASSIGN_OR_RETURN(const std::string_view made_on, Line(rest));
  TuningCache cache(std::move(device));
  while (!rest.starts_with("end ")) {
    if (cache.findings_.size() >= kMaxFindings) {
      return Status::Of(Code::kMalformed, "more than {} findings", kMaxFindings);
    }
    FERRY_ASSIGN_OR_RETURN(const std::string_view line, Line(rest));
    FERRY_ASSIGN_OR_RETURN(Finding finding, ParseFinding(line));
    cache.findings_.push_back(std::move(finding));
  }
  if (rest != EndLine(cache.size(), text.substr(0, text.size() - rest.size()))) {
    return Status::Of(Code::kMalformed, "the checksum is wrong");
  }
  // Only what is whole can say where it comes from.
  if (made_on != "device " + cache.device_) {
    return Status::Of(Code::kInvalidArgument, "made on '{}', this is '{}'",
                      made_on.substr(0, kMaxFindingText), cache.device_);
  }
  return cache;
}

std::string TuningCache::Print() const {
  std::string text = fmt::format("ferry tuning {}\ndevice {}\n", kTuningVersion, device_);
  for (const Finding& f : findings_) text += fmt::format("{}\t{}\t{:.6g}\n", f.key, f.choice, f.us);
  return text + EndLine(findings_.size(), text);
}

const Finding* TuningCache::Find(std::string_view key) const {
  const auto at = std::ranges::find(findings_, key, &Finding::key);
  return at == findings_.end() ? nullptr : &*at;
}

void TuningCache::Put(Finding finding) {
  if (!IsKept(finding.key) || !IsKept(finding.choice)) return;
  std::erase_if(findings_, [&](const Finding& f) { return f.key == finding.key; });
  if (findings_.size() >= kMaxFindings) findings_.erase(findings_.begin());
  findings_.push_back(std::move(finding));
}

void TuningCache::Merge(const TuningCache& other) {
  std::vector<Finding> merged;
  for (const Finding& f : other.findings_) {
    if (Find(f.key) == nullptr) merged.push_back(f);
  }
  const size_t all = merged.size() + findings_.size();
  const size_t drop = std::min(merged.size(), all > kMaxFindings ? all - kMaxFindings : 0);
  merged.erase(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(drop));
  std::ranges::move(findings_, std::back_inserter(merged));
  findings_ = std::move(merged);
}

TuningCache LoadTuning(sys::FileSystem& fs, const std::string& path, const std::string& device,
                       bool* is_foreign) {
  *is_foreign = false;
  auto bytes = sys::ReadFile(fs, path, kMaxTuningBytes);
  if (bytes.code() == Code::kNotFound) return TuningCache(device);
  if (bytes.ok()) {
    const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    auto cache = TuningCache::Parse(text, device);
    if (cache.ok()) return *std::move(cache);
    *is_foreign = cache.code() == Code::kInvalidArgument;
    LogWarn("engine", "ignoring the findings of {}: {}", path, cache.status().ToString());
  } else {
    LogWarn("engine", "ignoring the findings of {}: {}", path, bytes.status().ToString());
  }
  return TuningCache(device);
}

Status SaveTuning(sys::FileSystem& fs, const std::string& path, const std::string& device,
                  TuningCache& cache) {
  bool is_foreign = false;
  const TuningCache present = LoadTuning(fs, path, device, &is_foreign);
  if (is_foreign) {
    return Status::Of(Code::kAlreadyExists, "{} has the findings of another device", path);
  }
  cache.Merge(present);
  const std::string text = cache.Print();
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return sys::WriteFileAtomically(fs, path, ByteView(bytes, text.size()), sys::kPublicFile);
}

}  // namespace ferry::engine

#include "policy/target/version.h"

#include <charconv>

namespace ferry::target {
namespace {

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && text.find_first_not_of(
                              "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const size_t dot = text.find('.');
    out.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    text.remove_prefix(dot + 1);
  }
}

Status Bad(std::string_view version, std::string_view why) {
  return Status::Of(Code::kMalformed, "\"{}\" is no semantic version: {}", version, why);
}

Result<uint64_t> ParseNumber(std::string_view version, std::string_view part) {
  uint64_t value = 0;
  if (!IsDigits(part)) return Bad(version, fmt::format("\"{}\" is no number", part));
  if (part.size() > 1 && part[0] == '0')
    return Bad(version, fmt::format("\"{}\" has a leading zero", part));
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size())
    return Bad(version, fmt::format("\"{}\" is too large", part));
  return value;
}

// Digits of any length, without leading zeros: the longer is the larger.
std::strong_ordering CompareDigits(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering CompareIdentifier(const std::string& a, const std::string& b) {
  const bool a_number = IsDigits(a), b_number = IsDigits(b);
  if (a_number && b_number) return CompareDigits(a, b);
  if (a_number != b_number)
    return a_number ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.compare(b) <=> 0;
}

}  // namespace

Result<Version> ParseVersion(std::string_view text) {
  if (text.size() > kMaxVersionBytes)
    return Bad(text.substr(0, 32), fmt::format("longer than {} bytes", kMaxVersionBytes));
  std::string_view rest = text;
  if (const size_t plus = rest.find('+'); plus != std::string_view::npos) {
    for (std::string_view part : Split(rest.substr(plus + 1)))
      if (!IsIdentifier(part)) return Bad(text, "a bad identifier after +");
    rest = rest.substr(0, plus);
  }
  Version out;
  if (const size_t dash = rest.find('-'); dash != std::string_view::npos) {
    for (std::string_view part : Split(rest.substr(dash + 1))) {
      if (!IsIdentifier(part)) return Bad(text, "a bad identifier after -");
      if (IsDigits(part) && part.size() > 1 && part[0] == '0')
        return Bad(text, fmt::format("\"{}\" has a leading zero", part));
      out.pre.emplace_back(part);
    }
    rest = rest.substr(0, dash);
  }
  const std::vector<std::string_view> parts = Split(rest);
  if (parts.size() > 3) return Bad(text, "more than three numbers");
  uint64_t* const fields[3] = {&out.major, &out.minor, &out.patch};
  for (size_t k = 0; k < parts.size(); ++k) {
    FERRY_ASSIGN_OR_RETURN(*fields[k], ParseNumber(text, parts[k]));
  }
  return out;
}

std::strong_ordering Compare(const Version& a, const Version& b) {
  if (auto order = a.major <=> b.major; order != 0) return order;
  if (auto order = a.minor <=> b.minor; order != 0) return order;
  if (auto order = a.patch <=> b.patch; order != 0) return order;
  if (a.pre.empty() || b.pre.empty()) return b.pre.size() <=> a.pre.size();
  for (size_t k = 0; k < a.pre.size() && k < b.pre.size(); ++k)
    if (auto order = CompareIdentifier(a.pre[k], b.pre[k]); order != 0) return order;
  return a.pre.size() <=> b.pre.size();
}

std::string PrintVersion(const Version& version) {
  std::string out = fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
  for (size_t k = 0; k < version.pre.size(); ++k) out += (k == 0 ? "-" : ".") + version.pre[k];
  return out;
}

}  // namespace ferry::target

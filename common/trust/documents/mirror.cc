#include "common/trust/documents/mirror.h"

#include "common/trust/root.h"

namespace ferry::trust {
namespace {

constexpr std::string_view kPlainScheme = "http://";
constexpr size_t kMaxMirrorPath = 512;

// What stands in a request's first line as it is.
bool IsPath(std::string_view path) {
  for (const char c : path)
    if (c <= ' ' || c > '~' || c == '?' || c == '#' || c == '"') return false;
  return path.size() <= kMaxMirrorPath;
}

}  // namespace

Result<Mirror> MirrorFromText(std::string_view text) {
  Mirror mirror;
  mirror.text = std::string(text);
  if (!text.starts_with(kPlainScheme)) {
    FERRY_ASSIGN_OR_RETURN(mirror.at, AddressFromText(text));
    return mirror;
  }
  const std::string_view rest = text.substr(kPlainScheme.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string authority(rest.substr(0, slash));
  // The colons of an IPv6 address stand in brackets.
  if (authority.find(':', authority.find(']') + 1) == std::string::npos) authority += ":80";
  FERRY_ASSIGN_OR_RETURN(mirror.at, AddressFromText(authority));
  mirror.at.plain = true;
  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!IsPath(path))
    return Status::Of(Code::kMalformed, "mirror \"{:.80}\": its path is none of a URL", text);
  mirror.prefix = std::string(path);
  return mirror;
}

}  // namespace ferry::trust

#include "common/trust/documents/mirror.h"

#include "common/sys/web/web_url.h"
#include "common/trust/root.h"

namespace ferry::trust {
namespace {

constexpr size_t kMaxMirrorPath = 512;

}  // namespace

Result<Mirror> MirrorFromText(std::string_view text) {
  Mirror mirror;
  mirror.text = std::string(text);
  if (!text.starts_with("http://") && !text.starts_with("https://")) {
    FERRY_ASSIGN_OR_RETURN(mirror.at, AddressFromText(text));
    return mirror;
  }
  FERRY_ASSIGN_OR_RETURN(sys::WebUrl url, sys::ParseWebUrl(text).Context("mirror"));
  mirror.at = std::move(url.at);
  std::string& path = url.target;
  while (path.ends_with('/')) path.pop_back();
  if (path.size() > kMaxMirrorPath || path.find('?') != std::string::npos)
    return Status::Of(Code::kMalformed, "mirror \"{:.80}\": its path is none of a URL", text);
  mirror.prefix = std::move(path);
  return mirror;
}

}  // namespace ferry::trust

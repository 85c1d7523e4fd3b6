// What a client takes and what it has already: content coding and validators of RFC 9110.
#pragma once

#include <string>
#include <string_view>

#include "common/base/status.h"

namespace ferry::server {

// Whether Accept-Encoding allows gzip (section 12.5.3).
bool TakesGzip(std::string_view accept_encoding);
// Whether If-None-Match names `etag`, which is quoted (section 13.1.2): weak marks do not count.
bool NamesEtag(std::string_view if_none_match, std::string_view etag);
// `text` as one gzip member (RFC 1952), the same bytes each time; kOutOfMemory. `fast`: for what is
// packed for one answer alone.
Result<std::string> Gzip(std::string_view text, bool fast = false);

}  // namespace ferry::server

// The Range and Content-Range headers (RFC 9110, section 14). For this room only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::net {

// What a request for `size` bytes of content shall be answered with.
struct RangeAnswer {
  int status = 200;             // 200, 206 or 416
  uint64_t begin = 0, end = 0;  // of the body: [begin, end)
};
// One range is served; an empty header, several ranges, another unit or a header that does not
// follow the grammar get the whole (200).
RangeAnswer AnswerRange(std::string_view header, uint64_t size);

struct ContentRange {
  std::optional<uint64_t> begin;  // absent in "bytes */<size>"
  uint64_t size = 0;
};
// "bytes <begin>-<end>/<size>" or "bytes */<size>"; nullopt for anything else.
std::optional<ContentRange> ParseContentRange(std::string_view header);

}  // namespace ferry::net

#include "pipeline/event/record.h"

#include "common/base/json.h"
#include "pipeline/event/event.h"

namespace ferry::event {

Status CheckRecord(std::string_view stream, std::string_view json) {
  FERRY_TRY(CheckName("stream", stream));
  if (const size_t size = stream.size() + json.size(); size > kMaxRecordBytes)
    return Status::Of(Code::kLimitExceeded, "a record of {} bytes, the limit is {}", size,
                      kMaxRecordBytes);
  // The parser takes a zero byte for the end of its text; a database may do so, too.
  if (const size_t zero = json.find('\0'); zero != json.npos)
    return Status::Of(Code::kMalformed, "a zero byte at offset {}", zero);
  return ParseJson(json).status();
}

}  // namespace ferry::event
